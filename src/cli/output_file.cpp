#include "cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace arcwise::cli {
namespace {

Error failed(const std::string& path, int error) {
  return {ErrorKind::io,
          {path, 0, 0},
          "",
          std::string("cannot write this file: ") + std::strerror(error),
          "nothing was changed there"};
}

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

}  // namespace

std::optional<Error> write_whole(const std::string& path, std::string_view bytes) {
  struct stat existing{};
  const bool exists = ::stat(path.c_str(), &existing) == 0;
  if (exists && !S_ISREG(existing.st_mode)) {  // /dev/stdout, a pipe: nothing to replace
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return failed(path, errno);
    int error = write_all(descriptor, bytes);
    ::close(descriptor);
    if (error) return failed(path, error);
    return std::nullopt;
  }
  std::string beside = path + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return failed(path, errno);
  int error = write_all(descriptor, bytes);
  // mkostemp makes 0600; a new file gets what the umask leaves of 0666, a replaced one keeps its mode.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (!error && ::fchmod(descriptor, exists ? existing.st_mode & 07777 : 0666 & ~mask) != 0) error = errno;
  if (::close(descriptor) != 0 && !error) error = errno;
  if (!error && std::rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (!error) return std::nullopt;
  ::unlink(beside.c_str());
  return failed(path, error);
}

}  // namespace arcwise::cli
