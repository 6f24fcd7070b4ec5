#include "router/http_server.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "router/socket.hpp"

namespace arcwise::router {
namespace {

class http_server : public ::testing::Test {
 protected:
  http_server()
      : server(
            {}, [](const HttpRequest& request) { return answer(request); },
            []() -> std::string { throw std::runtime_error("no memory"); },
            [this](const std::string&) { ++troubles; }) {
    const auto got = server.start("127.0.0.1:0");
    EXPECT_TRUE(got);
    port = static_cast<std::uint16_t>(std::stoi(got->substr(got->rfind(':') + 1)));
  }
  static HttpReply answer(const HttpRequest& request) {
    HttpReply reply;
    reply.stream = request.path == "/stream";
    reply.body = "here\n";
    return reply;
  }
  static Descriptor some_socket() { return Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }
  static void connect(const Descriptor& fd, std::uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  static std::string ask(const Descriptor& fd, std::string_view request) {
    EXPECT_EQ(::send(fd.get(), request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
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

  std::atomic<int> troubles{0};
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
