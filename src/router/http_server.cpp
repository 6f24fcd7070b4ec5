#include "router/http_server.hpp"

#include <unistd.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>

#include <atomic>
#include <optional>
#include <thread>

#include "format/json_text.hpp"
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

/// What every connection shares.
struct Shared {
  HttpLimits limits;
  HttpServer::Answer answer;
  HttpServer::Frame frame;
  HttpServer::Trouble trouble;
  std::vector<std::string> names;  ///< by which this machine is known
  std::atomic<std::size_t> connections{0};
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), timer_(stream_.get_executor()), shared_(shared) {
    ++shared_.connections;
  }
  ~Session() { --shared_.connections; }

  static void begin(std::shared_ptr<Session> self) {
    const auto executor = self->stream_.get_executor();
    asio::dispatch(executor, [self = std::move(self)] { self->begin(); });
  }

 private:
  void begin() {
    const std::size_t before = shared_.connections;
    if (before > shared_.limits.connections + shared_.limits.for_health)
      return reply(too_many(), false, false, 11);
    only_health_ = before > shared_.limits.connections;
    read(shared_.limits.first_header);
  }
  static HttpReply too_many() {
    return refusal(503, "too many connections to the admin address", "close some");
  }

  // A header that comes by drops holds a place for others.
  void read(std::chrono::seconds for_header) {
    parser_.emplace();
    parser_->header_limit(shared_.limits.header);
    parser_->body_limit(shared_.limits.body);
    stream_.expires_after(for_header);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, std::size_t) {
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
      return reply(refusal(413, "the request is larger than this address takes", "send a smaller map"), false,
                   false, 11);
    if (error == http::error::header_limit)
      return reply(refusal(431, "the request's header is larger than this address takes",
                           "send a shorter address and fewer headers"),
                   false, false, 11);
    const bool gone = error == http::error::end_of_stream || error == beast::error::timeout ||
                      error.category() == asio::error::get_system_category();
    if (error && gone) return close();
    if (error)
      return reply(refusal(400, "this is no HTTP request: " + error.message(), "see docs/router.md"), false,
                   false, 11);
    const auto& message = parser_->get();
    const bool head = message.method() == http::verb::head;
    reply(answered(message), head, message.keep_alive() && !only_health_, message.version());
  }

  template <class Message>
  HttpReply answered(const Message& message) {
    const std::string_view target(message.target().data(), message.target().size());
    if (only_health_ && target != "/healthz" && target != "/readyz") return too_many();
    // Browsers always name one: it is they that are led here by a name.
    if (message.count(http::field::host) && !own_host(text_of(message[http::field::host]), shared_.names))
      return refusal(421, "the Host of this request is no name of this machine",
                     "ask by its address, localhost or its host name");
    HttpRequest request;
    request.method = text_of(message.method_string());
    if (request.method == "HEAD") request.method = "GET";
    const bool foreign = message.count("Sec-Fetch-Site") && message["Sec-Fetch-Site"] != "same-origin" &&
                         message["Sec-Fetch-Site"] != "none";
    const bool other_origin =
        message.count(http::field::origin) &&
        text_of(message[http::field::origin]) != "http://" + text_of(message[http::field::host]);
    if (request.method != "GET" && (foreign || other_origin))
      return refusal(403, "another site's page may change nothing here",
                     "use the page of this router, or curl");
    split_target(text_of(message.target()), request);
    request.content_type = text_of(message[http::field::content_type]);
    request.accept = text_of(message[http::field::accept]);
    request.authorization = text_of(message[http::field::authorization]);
    request.body = message.body();
    try {
      return shared_.answer(request);
    } catch (const std::exception& error) {  // no memory, say: traffic goes on
      return refusal(500, error.what(), "see the router's log");
    }
  }

  void reply(HttpReply&& with, bool head, bool keep_alive, unsigned version) {
    if (with.stream) return begin_stream();
    response_.emplace(static_cast<http::status>(with.status), version);
    auto& out = *response_;
    out.set(http::field::content_type, with.type);
    out.set(http::field::cache_control, "no-store");
    out.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : with.headers) out.set(name, value);
    out.keep_alive(keep_alive);
    out.body() = std::move(with.body);
    out.prepare_payload();
    stream_.expires_after(shared_.limits.idle);
    const auto then = [self = shared_from_this(), keep_alive](error_code error, std::size_t) {
      if (error || !keep_alive) return self->close();
      self->read(self->shared_.limits.idle);
    };
    if (!head) return http::async_write(stream_, out, then);
    head_.emplace(out);  // as long as the body would be, without it
    http::async_write_header(stream_, *head_, then);
  }

  void begin_stream() {
    bytes_ =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\nretry: 1000\n\n";
    write_frame();
  }

  void write_frame() {
    bytes_ += "data: " + shared_.frame() + "\n\n";
    stream_.expires_after(shared_.limits.idle);
    asio::async_write(stream_, asio::buffer(bytes_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (error) return self->close();
                        self->bytes_.clear();
                        self->timer_.expires_after(between_frames);
                        self->timer_.async_wait([self](error_code ended) {
                          if (!ended) self->write_frame();
                        });
                      });
  }

  void close() {
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
  std::string bytes_;
  bool only_health_ = false;
};

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

struct HttpServer::Impl {
  Shared shared;
  asio::io_context context;
  tcp::acceptor acceptor{context};
  asio::steady_timer deaf{context};
  std::thread threads[2];

  void accept() {
    // A strand each: a connection's time may run out on one thread while it is answered on the other.
    acceptor.async_accept(asio::make_strand(context), [this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      accept();  // first: nothing that is thrown behind it makes the address deaf
      Session::begin(std::make_shared<Session>(std::move(socket), shared));
    });
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
        context.run();
        return;
      } catch (const std::exception& error) {
        if (shared.trouble) shared.trouble(error.what());
      }
  }
};

HttpServer::HttpServer(HttpLimits limits, Answer answer, Frame frame, Trouble trouble)
    : impl_(std::make_unique<Impl>()) {
  impl_->shared.limits = limits;
  impl_->shared.answer = std::move(answer);
  impl_->shared.frame = std::move(frame);
  impl_->shared.trouble = std::move(trouble);
  impl_->shared.names = {host_name()};
}

HttpServer::~HttpServer() {
  impl_->context.stop();
  for (std::thread& thread : impl_->threads)
    if (thread.joinable()) thread.join();
}

Result<std::string> HttpServer::start(const std::string& address) {
  if (address.find('/') != address.npos)
    return Error{
        ErrorKind::input, {}, address, "the admin address is no host and port", "write it as 127.0.0.1:9900"};
  auto listener = listen_on(address, {}, 1);
  if (!listener) return listener.error();
  const std::string got = address_of(listener->front());
  if (!address.starts_with('[')) impl_->shared.names.push_back(address.substr(0, address.rfind(':')));
  impl_->acceptor.assign(got.starts_with('[') ? tcp::v6() : tcp::v4(), listener->front().release());
  impl_->accept();
  for (std::thread& thread : impl_->threads) thread = std::thread([this] { impl_->run(); });
  return got;
}

}  // namespace arcwise::router
