#include "cli/key_lines.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace arcwise::cli {
namespace {

constexpr std::size_t read_block = std::size_t{1} << 18;
constexpr std::size_t longest_key = std::size_t{1}
                                    << 26;  // 64 MiB: past any system's limit but Redis's own 512 MB

Error fault(ErrorKind kind, Mark where, std::string why, std::string advice) {
  return {kind, std::move(where), "", std::move(why), std::move(advice)};
}

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number > 0) ::close(number);
  }
};

// Lines of a descriptor. Only an unfinished line is carried from one block to the next.
class Lines {
 public:
  Lines(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)), buffer_(read_block, '\0') {}

  /// Calls visit(line) for each line, without its newline; visit returns false to stop.
  template <class Visit>
  std::optional<Error> each(Visit&& visit) {
    while (true) {
      if (end_ == buffer_.size()) {
        if (buffer_.size() >= longest_key)
          return fault(ErrorKind::input, {name_, line_ + 1, 0}, "a key is longer than 64 MiB",
                       "write one key a line");
        buffer_.resize(2 * buffer_.size());
      }
      const ssize_t n = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fault(ErrorKind::io, {name_, 0, 0}, "cannot read the keys", std::strerror(errno));
      const std::size_t fresh = end_;
      end_ += static_cast<std::size_t>(n);
      if (n == 0) {
        if (end_ > 0) visit(std::string_view(buffer_.data(), end_));
        return std::nullopt;
      }
      if (!split(fresh, visit)) return std::nullopt;
    }
  }

 private:
  template <class Visit>
  bool split(std::size_t search, Visit&& visit) {
    std::size_t start = 0;
    while (search < end_) {
      const void* found = std::memchr(buffer_.data() + search, '\n', end_ - search);
      if (!found) break;
      const std::size_t newline = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      if (!visit(std::string_view(buffer_.data() + start, newline - start))) return false;
      ++line_;
      start = search = newline + 1;
    }
    std::memmove(buffer_.data(), buffer_.data() + start, end_ - start);
    end_ -= start;
    return true;
  }

  int descriptor_;
  std::string name_;
  std::string buffer_;
  std::size_t end_ = 0;
  std::uint32_t line_ = 0;
};

}  // namespace

std::optional<Error> each_key(const std::string& path, Session& session,
                              const std::function<bool(std::string_view)>& visit) {
  Descriptor file{path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    return fault(ErrorKind::io, {path, 0, 0}, "cannot open the keys", std::strerror(errno));
  bool returns = false;
  return Lines(file.number, path == "-" ? "<stdin>" : path).each([&](std::string_view key) {
    if (!returns && key.ends_with('\r')) {
      returns = true;
      session.say(
          "warning: keys end in a carriage return, which is hashed with them; if that is not meant: tr -d "
          "'\\r'");
    }
    return visit(key);
  });
}

}  // namespace arcwise::cli
