#include "router/ask.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "router/socket.hpp"

namespace arcwise::router {
namespace {

constexpr std::size_t longest_answer = std::size_t{1} << 20;

struct Talk {
  const Question* question = nullptr;
  Reply* reply = nullptr;
  Descriptor fd;
  std::size_t said = 0;
  bool connected = false;

  void end(std::string_view why) {
    reply->why = why;
    fd = Descriptor();
  }

  void say() {
    if (!connected) {
      const std::string why = connection_error(fd);
      if (!why.empty()) return end(why);
      connected = true;
    }
    const std::string& all = question->bytes;
    const ssize_t sent = ::send(fd.get(), all.data() + said, all.size() - said, MSG_NOSIGNAL);
    if (sent >= 0)
      said += static_cast<std::size_t>(sent);
    else if (errno != EAGAIN && errno != EINTR)
      end(std::strerror(errno));
  }

  void hear() {
    char bytes[16384];
    const ssize_t got = ::recv(fd.get(), bytes, sizeof bytes, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got < 0) return end(std::strerror(errno));
    if (got == 0) return end(question->whole ? "it closed the connection" : "");
    reply->bytes.append(bytes, static_cast<std::size_t>(got));
    if (question->whole && question->whole(reply->bytes)) return end("");
    if (reply->bytes.size() > longest_answer) end("its answer is too long");
  }
};

}  // namespace

std::vector<Reply> ask_all(const std::vector<Question>& questions, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::vector<Reply> replies(questions.size());
  std::vector<Talk> talks;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    auto fd = connect_to(questions[i].address);
    if (!fd) {
      replies[i].why = fd.error().why;
      continue;
    }
    talks.push_back({&questions[i], &replies[i], std::move(*fd)});
  }
  std::vector<pollfd> waiting;
  std::vector<Talk*> of;
  for (;;) {
    waiting.clear();
    of.clear();
    for (Talk& talk : talks) {
      if (!talk.fd) continue;
      const bool saying = talk.said < talk.question->bytes.size();
      waiting.push_back({talk.fd.get(), static_cast<short>(saying ? POLLOUT : POLLIN), 0});
      of.push_back(&talk);
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (waiting.empty() || left.count() <= 0) break;
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) <= 0) continue;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (!waiting[i].revents) continue;
      if (waiting[i].events & POLLOUT)
        of[i]->say();
      else
        of[i]->hear();
    }
  }
  for (Talk* talk : of)
    if (talk->fd) talk->end("no reply for " + std::to_string(patience.count()) + " ms");
  return replies;
}

}  // namespace arcwise::router
