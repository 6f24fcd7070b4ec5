#include "cli/session.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstdio>

namespace arcwise::cli {

void Out::flush() {
  std::size_t done = 0;
  while (!error_ && done < buffer_.size()) {
    const ssize_t n = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
}

void Session::say(std::string_view line) const {
  std::string text(line);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Session::say(const Finding& finding) const {
  static constexpr std::string_view names[] = {"note", "warning", "error"};
  std::string text(names[static_cast<std::size_t>(finding.severity)]);
  text += ": ";
  if (!finding.subject.empty()) text += finding.subject + ": ";
  text += finding.message;
  if (!finding.advice.empty()) text += "; " + finding.advice;
  say(text);
}

}  // namespace arcwise::cli
