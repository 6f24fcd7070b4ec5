#include "router/http_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "format/json_text.hpp"
#include "router/own_names.hpp"
#include "router/socket.hpp"

namespace arcwise::router {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using beast::error_code;

constexpr std::chrono::seconds between_frames{1};
constexpr std::chrono::milliseconds deaf_for{100};

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

HttpReply refusal(unsigned status, const std::string& why, const std::string& advice) {
  HttpReply reply;
  reply.status = status;
  reply.body = json_error({ErrorKind::refused, {}, "", why, advice}) + "\n";
  return reply;
}

HttpReply too_many() {
  return refusal(503, "too many connections to the admin address", "close some");
}

// Browsers name both where a page asks for what is not its own.
template <class Message>
bool of_another_site(const Message& message) {
  const bool foreign = message.count("Sec-Fetch-Site") && message["Sec-Fetch-Site"] != "same-origin" &&
                       message["Sec-Fetch-Site"] != "none";
  const bool other_origin =
      message.count(http::field::origin) &&
      text_of(message[http::field::origin]) != "http://" + text_of(message[http::field::host]);
  return foreign || other_origin;
}

class Session;

/// What every connection shares.
struct Shared {
  HttpLimits limits;
  HttpContent content;
  OwnNames names;
  std::vector<std::weak_ptr<Session>> sessions;  ///< in the order they came
  asio::io_context context{1};
  std::optional<asio::thread_pool> some, much;

  void tell(const std::exception& error) const {
    if (content.trouble) content.trouble(error.what());
  }
};

/// Belongs to the thread that reads and writes, but for what it has computed elsewhere.
class Session : public std::enable_shared_from_this<Session> {
  using Clock = std::chrono::steady_clock;

 public:
  Session(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), timer_(stream_.get_executor()), shared_(shared) {}

  void begin(bool only_health) {
    only_health_ = only_health;
    read(shared_.limits.first_header);
  }
  void turn_away() { reply(too_many(), {}); }
  bool open() const noexcept { return open_; }
  /// Since when the header of its next request has not come whole; none: it has.
  std::optional<Clock::time_point> waiting() const noexcept { return waiting_; }
  void drop() {
    open_ = false;
    stream_.close();
  }

 private:
  /// How a request wants its reply.
  struct Manner {
    bool head = false, keep_alive = false;
    unsigned version = 11;
  };

  // A header that comes by drops holds a place for others.
  void read(std::chrono::seconds for_header) {
    waiting_ = Clock::now();
    parser_.emplace();
    parser_->header_limit(shared_.limits.header);
    parser_->body_limit(shared_.limits.body);
    stream_.expires_after(for_header);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, std::size_t) {
                              self->waiting_.reset();
                              if (error || self->parser_->is_done()) return self->heard(error);
                              self->read_body();
                            });
  }

  void read_body() {
    stream_.expires_after(shared_.limits.idle);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) { self->heard(error); });
  }

  void heard(error_code error) {
    if (error == http::error::body_limit)
      return reply(refusal(413, "the request is larger than this address takes", "send a smaller map"), {});
    if (error == http::error::header_limit)
      return reply(refusal(431, "the request's header is larger than this address takes",
                           "send a shorter address and fewer headers"),
                   {});
    const bool gone = error == http::error::end_of_stream || error == beast::error::timeout ||
                      error.category() == asio::error::get_system_category();
    if (error && gone) return close();
    if (error)
      return reply(refusal(400, "this is no HTTP request: " + error.message(), "see docs/router.md"), {});
    const auto& message = parser_->get();
    const Manner manner{message.method() == http::verb::head, message.keep_alive() && !only_health_,
                        message.version()};
    // Browsers always name one: it is they that are led here by a name.
    if (message.count(http::field::host) &&
        !own_host(text_of(message[http::field::host]), shared_.names.all()))
      return reply(refusal(421, "the Host of this request is no name of this machine",
                           "ask by its address, localhost or its host name"),
                   manner);
    HttpRequest request = taken();
    if (request.method != "GET" && of_another_site(message))
      return reply(
          refusal(403, "another site's page may change nothing here", "use the page of this router, or curl"),
          manner);
    answer(std::move(request), manner);
  }

  HttpRequest taken() {
    auto& message = parser_->get();
    HttpRequest request;
    request.method = text_of(message.method_string());
    if (request.method == "HEAD") request.method = "GET";
    split_target(text_of(message.target()), request);
    request.content_type = text_of(message[http::field::content_type]);
    request.accept = text_of(message[http::field::accept]);
    request.authorization = text_of(message[http::field::authorization]);
    request.body = std::move(message.body());
    return request;
  }

  void answer(HttpRequest&& request, Manner manner) {
    const Effort effort = request.method == "GET" ? shared_.content.effort(request.path) : Effort::much;
    if (effort == Effort::none) return reply(answer_to(request), manner);
    if (only_health_) return reply(too_many(), manner);
    elsewhere(
        effort, [this, request = std::move(request)] { return answer_to(request); },
        [this, manner](HttpReply&& found) { reply(std::move(found), manner); });
  }

  HttpReply answer_to(const HttpRequest& request) const {
    try {
      return shared_.content.answer(request);
    } catch (const std::exception& error) {  // no memory, say: traffic goes on
      return refusal(500, error.what(), "see the router's log");
    }
  }

  // What is found on another thread is used on this one. What is thrown there ends the connection.
  template <class Find, class Use>
  void elsewhere(Effort effort, Find find, Use use) {
    asio::post(effort == Effort::some ? *shared_.some : *shared_.much,
               [self = shared_from_this(), find = std::move(find), use = std::move(use)]() mutable {
                 Shared& shared = self->shared_;
                 try {
                   asio::post(shared.context, [self, use = std::move(use), found = find()]() mutable {
                     use(std::move(found));
                   });
                 } catch (const std::exception& error) {
                   shared.tell(error);
                 }
               });
  }

  void reply(HttpReply&& with, Manner manner) {
    if (with.stream) return begin_stream(manner.head);
    response_.emplace(static_cast<http::status>(with.status), manner.version);
    auto& out = *response_;
    out.set(http::field::content_type, with.type);
    out.set(http::field::cache_control, "no-store");
    out.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : with.headers) out.set(name, value);
    out.keep_alive(manner.keep_alive);
    out.body() = std::move(with.body);
    out.prepare_payload();
    stream_.expires_after(shared_.limits.idle);
    const auto then = [self = shared_from_this(), keep_alive = manner.keep_alive](error_code error,
                                                                                  std::size_t) {
      if (error || !keep_alive) return self->close();
      self->read(self->shared_.limits.idle);
    };
    if (!manner.head) return http::async_write(stream_, out, then);
    head_.emplace(out);  // as long as the body would be, without it
    http::async_write_header(stream_, *head_, then);
  }

  void begin_stream(bool head) {
    before_ =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
    if (!head) {
      before_ += "retry: 1000\n\ndata: ";
      return find_frame();
    }
    stream_.expires_after(shared_.limits.idle);
    asio::async_write(stream_, asio::buffer(before_),
                      [self = shared_from_this()](error_code, std::size_t) { self->close(); });
  }

  void find_frame() {
    elsewhere(
        Effort::some, [this] { return shared_.content.frame(); },
        [this](std::shared_ptr<const std::string>&& frame) { write(std::move(frame)); });
  }

  void write(std::shared_ptr<const std::string>&& frame) {
    frame_ = std::move(frame);
    stream_.expires_after(shared_.limits.idle);
    const std::array<asio::const_buffer, 3> all{asio::buffer(before_), asio::buffer(*frame_),
                                                asio::buffer("\n\n", 2)};
    asio::async_write(stream_, all, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->close();
      self->before_ = "data: ";
      self->frame_.reset();
      self->timer_.expires_after(between_frames);
      self->timer_.async_wait([self](error_code ended) {
        if (!ended) self->find_frame();
      });
    });
  }

  void close() {
    open_ = false;
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.close();
  }

  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  Shared& shared_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::optional<http::response_serializer<http::string_body>> head_;
  std::string before_;  ///< the next frame of a stream
  std::shared_ptr<const std::string> frame_;
  std::optional<Clock::time_point> waiting_;
  bool only_health_ = false, open_ = true;
};

}  // namespace

struct HttpServer::Impl {
  Shared shared;
  tcp::acceptor acceptor{shared.context};
  asio::steady_timer deaf{shared.context};
  std::thread thread;

  void accept() {
    acceptor.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      accept();  // first: nothing that is thrown behind it makes the address deaf
      admit(std::make_shared<Session>(std::move(socket), shared));
    });
  }

  void admit(const std::shared_ptr<Session>& session) {
    auto& all = shared.sessions;
    std::erase_if(all, [](const auto& one) {
      const auto there = one.lock();
      return !there || !there->open();
    });
    const HttpLimits& limits = shared.limits;
    if (all.size() >= limits.connections) make_room();
    const std::size_t before = all.size();
    if (before >= limits.connections + limits.for_health) return session->turn_away();
    all.push_back(session);
    session->begin(before >= limits.connections);
  }

  // Who says nothing, or says it by drops, holds no place against those who ask.
  void make_room() {
    std::shared_ptr<Session> longest;
    for (const auto& one : shared.sessions) {
      const auto there = one.lock();
      if (there && there->waiting() && (!longest || there->waiting() < longest->waiting())) longest = there;
    }
    if (!longest) return;
    longest->drop();
    std::erase_if(shared.sessions, [&](const auto& one) { return one.lock() == longest; });
  }

  // No descriptor is left, say: who waits to be taken would be told without end.
  void accept_later() {
    deaf.expires_after(deaf_for);
    deaf.async_wait([this](error_code error) {
      if (!error) accept();
    });
  }

  // What is thrown ends what it was thrown for, and nothing else.
  void run() {
    for (;;) try {
        shared.context.run();
        return;
      } catch (const std::exception& error) {
        shared.tell(error);
      }
  }
};

HttpServer::HttpServer(HttpLimits limits, HttpContent content) : impl_(std::make_unique<Impl>()) {
  impl_->shared.limits = limits;
  impl_->shared.content = std::move(content);
}

HttpServer::~HttpServer() {
  Shared& shared = impl_->shared;
  shared.context.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
  // Connections that wait for their turn there go before what they stand on.
  shared.some.reset();
  shared.much.reset();
}

Result<std::string> HttpServer::start(const std::string& address) {
  if (address.find('/') != address.npos)
    return Error{
        ErrorKind::input, {}, address, "the admin address is no host and port", "write it as 127.0.0.1:9900"};
  auto listener = listen_on(address, {}, 1);
  if (!listener) return listener.error();
  const std::string got = address_of(listener->front());
  if (!address.starts_with('[')) impl_->shared.names.add(address.substr(0, address.rfind(':')));
  impl_->shared.names.ask();
  impl_->acceptor.assign(got.starts_with('[') ? tcp::v6() : tcp::v4(), listener->front().release());
  impl_->shared.some.emplace(1);
  impl_->shared.much.emplace(2);
  impl_->accept();
  impl_->thread = std::thread([this] { impl_->run(); });
  return got;
}

}  // namespace arcwise::router
