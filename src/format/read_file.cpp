#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>

#include "arcwise/format.hpp"

namespace arcwise {
namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : fd_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
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

}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t limit_bytes) {
  const std::string name = path == "-" ? "standard input" : path;
  try {
    const Descriptor file(path);
    if (file.get() < 0) return failed(name, errno);
    struct stat about{};
    if (::fstat(file.get(), &about) != 0) return failed(name, errno);
    if (S_ISDIR(about.st_mode)) return failed(name, EISDIR);
    std::string bytes;
    if (S_ISREG(about.st_mode))
      bytes.reserve(std::min(static_cast<std::uint64_t>(about.st_size), limit_bytes) + 1);
    std::string chunk(std::size_t{1} << 16, '\0');
    while (true) {
      const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
      if (got == 0) return bytes;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed(name, errno);
      bytes.append(chunk, 0, static_cast<std::size_t>(got));
      if (bytes.size() > limit_bytes)
        return Error{ErrorKind::input,
                     {name},
                     "",
                     "the file is larger than " + human_bytes(static_cast<double>(limit_bytes)),
                     "give a smaller file"};
    }
  } catch (const std::exception&) {
    return Error{ErrorKind::io, {name}, "", "not enough memory to read the file", "give a smaller file"};
  }
}

}  // namespace arcwise
