#include "format/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>

#include "arcwise/format.hpp"

namespace arcwise {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Error failed(const std::string& name, int code) {
  return {ErrorKind::io,
          {name},
          "",
          std::string("cannot read the file: ") + std::strerror(code),
          code == ENOENT ? "check the name" : "check the file and its permissions"};
}

Error too_large(const std::string& name, std::uint64_t limit_bytes) {
  return {ErrorKind::input,
          {name},
          "",
          "the file is larger than " + human_bytes(static_cast<double>(limit_bytes)),
          "give a smaller file"};
}

Result<std::string> read_all(const std::string& name, const Descriptor& file, std::uint64_t limit_bytes,
                             bool regular_only) {
  try {
    if (file.get() < 0) return failed(name, errno);
    struct stat about{};
    if (::fstat(file.get(), &about) != 0) return failed(name, errno);
    if (S_ISDIR(about.st_mode)) return failed(name, EISDIR);
    const bool regular = S_ISREG(about.st_mode);
    if (regular_only && !regular)
      return Error{ErrorKind::input, {name}, "", "this is a pipe or a device, and no file", "give a file"};
    std::string bytes;
    if (regular) {
      const auto size = static_cast<std::uint64_t>(about.st_size);
      if (size > limit_bytes) return too_large(name, limit_bytes);
      bytes.reserve(size + 1);
    }
    std::string chunk(std::size_t{1} << 16, '\0');
    while (true) {
      const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
      if (got == 0) return bytes;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed(name, errno);
      bytes.append(chunk, 0, static_cast<std::size_t>(got));
      if (bytes.size() > limit_bytes) return too_large(name, limit_bytes);
    }
  } catch (const std::exception&) {
    return Error{ErrorKind::io, {name}, "", "not enough memory to read the file", "give a smaller file"};
  }
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t limit_bytes) {
  if (path == "-") return read_all("standard input", Descriptor(STDIN_FILENO), limit_bytes, false);
  return read_all(path, Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), limit_bytes, false);
}

// To open a pipe waits for who writes to it, unless asked not to.
Result<std::string> read_regular_file(const std::string& path, std::uint64_t limit_bytes) {
  return read_all(path, Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)),
                  limit_bytes, true);
}

}  // namespace arcwise
