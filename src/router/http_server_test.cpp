#include "router/http_server.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <latch>
#include <thread>

#include "router/socket.hpp"

namespace arcwise::router {
namespace {

class http_server : public ::testing::Test {
 protected:
  http_server()
      : server({}, {[this](const HttpRequest& request) { return answer(request); }, effort_of,
                    [this] { return frame(); }, [this](const std::string&) { ++troubles; }}) {
    const auto got = server.start("127.0.0.1:0");
    EXPECT_TRUE(got);
    port = static_cast<std::uint16_t>(std::stoi(got->substr(got->rfind(':') + 1)));
  }
  // Whoever waits in an answer is let go before the server ends.
  ~http_server() override { ending.count_down(); }

  HttpReply answer(const HttpRequest& request) {
    if (request.path == "/long") {
      ++begun;
      ending.wait();
    }
    HttpReply reply;
    reply.stream = request.path.starts_with("/stream");
    reply.body = "here\n";
    return reply;
  }
  static Effort effort_of(std::string_view path) {
    return path == "/health" ? Effort::none : path == "/long" ? Effort::much : Effort::some;
  }
  std::shared_ptr<const std::string> frame() const {
    if (!frames) throw std::runtime_error("no memory");
    return std::make_shared<const std::string>("frame");
  }
  static Descriptor some_socket() { return Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }
  static void connect(const Descriptor& fd, std::uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  static void send(const Descriptor& fd, std::string_view text) {
    EXPECT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  static std::string ask(const Descriptor& fd, std::string_view request) {
    send(fd, request);
    return rest(fd);
  }
  static std::string rest(const Descriptor& fd) {
    std::string all;
    char bytes[4096];
    for (ssize_t got = 0; (got = ::recv(fd.get(), bytes, sizeof bytes, 0)) > 0;)
      all.append(bytes, static_cast<std::size_t>(got));
    return all;
  }
  std::string ask(std::string_view request) const {
    const Descriptor fd = some_socket();
    connect(fd, port);
    return ask(fd, request);
  }

  std::latch ending{1};
  std::atomic<int> troubles{0}, begun{0};
  std::atomic<bool> frames{false};
  HttpServer server;
  std::uint16_t port = 0;
};

TEST_F(http_server, what_is_thrown_behind_a_reply_is_told_and_ends_nothing_else) {
  for (int i = 0; i < 4; ++i)  // more than it has threads
    ask("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  // A client may have heard the end before the server has told of it.
  for (int i = 0; i < 500 && troubles < 4; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(troubles, 4);
  EXPECT_NE(ask("GET / HTTP/1.0\r\nHost: localhost\r\n\r\n").find("here"), std::string::npos);
}

TEST_F(http_server, a_program_that_names_no_host_is_answered) {
  EXPECT_NE(ask("GET / HTTP/1.0\r\n\r\n").find("here"), std::string::npos);
  EXPECT_NE(ask("GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n").find(" 421 "), std::string::npos);
}

TEST_F(http_server, answers_that_take_long_hold_up_none_that_do_not) {
  std::vector<Descriptor> waiting;
  for (int i = 0; i < 6; ++i) {  // more than it finds at a time
    waiting.push_back(some_socket());
    connect(waiting.back(), port);
    send(waiting.back(), "GET /long HTTP/1.0\r\n\r\n");
  }
  for (int i = 0; i < 500 && begun < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GE(begun, 2);
  EXPECT_NE(ask("GET /health HTTP/1.0\r\n\r\n").find("here"), std::string::npos);
  EXPECT_NE(ask("GET / HTTP/1.0\r\n\r\n").find("here"), std::string::npos);
}

TEST_F(http_server, who_says_nothing_holds_no_place_against_those_who_ask) {
  std::vector<Descriptor> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(some_socket());
    connect(silent.back(), port);
    if (i % 2) send(silent.back(), "GET / HTTP/1.1\r\nX: ");
    if (i % 20 == 0) {
      EXPECT_NE(ask("GET / HTTP/1.0\r\n\r\n").find("here"), std::string::npos) << i;
    }
  }
  EXPECT_NE(ask("GET / HTTP/1.0\r\n\r\n").find("here"), std::string::npos);
  char byte;
  EXPECT_EQ(::recv(silent.front().get(), &byte, 1, 0), 0) << "the first to be silent is the first to go";
  send(silent.back(), "y\r\nConnection: close\r\n\r\n");
  EXPECT_NE(rest(silent.back()).find("here"), std::string::npos) << "the last has its place still";
}

TEST_F(http_server, where_all_places_are_taken_by_who_has_asked_health_is_told_alone) {
  std::vector<Descriptor> busy;
  const auto one_more = [&] {
    busy.push_back(some_socket());
    connect(busy.back(), port);
    send(busy.back(), "GET /long HTTP/1.0\r\n\r\n");
  };
  for (int i = 0; i < 64; ++i) one_more();
  // One whose header has not been read yet when the next comes gives way to it.
  std::string health, other;
  for (int i = 0; i < 200 && other.find(" 503 ") == other.npos; ++i) {
    health = ask("GET /health HTTP/1.0\r\n\r\n");
    other = ask("GET / HTTP/1.0\r\n\r\n");
    one_more();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_NE(health.find("here"), std::string::npos);
  EXPECT_NE(other.find(" 503 "), std::string::npos);
}

TEST_F(http_server, the_head_of_a_stream_is_all_that_who_asks_for_it_gets) {
  frames = true;
  const std::string head = ask("HEAD /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(head.find("text/event-stream"), std::string::npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
  EXPECT_EQ(head.find("frame"), std::string::npos);
}

TEST_F(http_server, without_descriptors_it_waits_and_does_not_spin) {
  // UBSan looks at what a member is called of, the first time, for which it needs descriptors.
  const std::uint16_t at = port;
  for (int i = 0; i < 20; ++i) ask("GET / HTTP/1.0\r\n\r\n");
  const Descriptor client = some_socket();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const Descriptor last = some_socket();  // the lowest that is free lies behind it
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(last.get()) + 1;
  const auto spent = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000 + usage.ru_stime.tv_sec * 1000 +
           usage.ru_stime.tv_usec / 1000;
  };
  setrlimit(RLIMIT_NOFILE, &none);
  const auto began = spent();
  connect(client, at);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  const auto took = spent() - began;
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_LT(took, 100);
  EXPECT_NE(ask(client, "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n").find("here"), std::string::npos);
}

}  // namespace
}  // namespace arcwise::router
