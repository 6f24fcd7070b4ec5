#include "cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/cluster_args.hpp"

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

// One name for x, ./x and y/../x.
std::string place_of(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::current_path(error) / path, error);
  return error ? path : whole.string();
}

}  // namespace

OutputFiles::~OutputFiles() {
  for (const Staged& s : staged_) {
    if (s.descriptor >= 0) ::close(s.descriptor);
    if (!s.beside.empty()) ::unlink(s.beside.c_str());
  }
}

std::optional<Error> OutputFiles::add(const std::string& path, std::string_view bytes, std::string said) {
  struct stat existing{};
  const bool exists = ::stat(path.c_str(), &existing) == 0;
  if (!said.empty()) said_.push_back(std::move(said));
  if (exists && !S_ISREG(existing.st_mode)) {  // /dev/stdout, a pipe: nothing to replace
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return failed(path, errno);
    staged_.push_back({path, "", descriptor, std::string(bytes)});
    return std::nullopt;
  }
  for (const Staged& s : staged_)
    if (!s.beside.empty() && place_of(s.path) == place_of(path))
      return usage_error(path, "two outputs of this command would go to one file",
                         "name another for one of them");
  std::string beside = path + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return failed(path, errno);
  staged_.push_back({path, beside, -1, ""});
  int error = write_all(descriptor, bytes);
  // mkostemp makes 0600; a new file gets what the umask leaves of 0666, a replaced one keeps its mode.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (!error && ::fchmod(descriptor, exists ? existing.st_mode & 07777 : 0666 & ~mask) != 0) error = errno;
  if (::close(descriptor) != 0 && !error) error = errno;
  if (error) return failed(path, error);
  return std::nullopt;
}

std::optional<Error> OutputFiles::commit(Session& session) {
  for (const Staged& s : staged_)
    if (s.descriptor >= 0)
      if (const int error = write_all(s.descriptor, s.bytes)) return failed(s.path, error);
  for (Staged& s : staged_) {
    if (s.beside.empty()) continue;
    if (std::rename(s.beside.c_str(), s.path.c_str()) != 0) return failed(s.path, errno);
    s.beside.clear();
  }
  for (const std::string& line : said_) session.say(line);
  return std::nullopt;
}

std::optional<Error> write_whole(const std::string& path, std::string_view bytes, Session& session) {
  OutputFiles files;
  if (auto error = files.add(path, bytes)) return error;
  return files.commit(session);
}

std::optional<Error> add_map_after(OutputFiles& files, const std::string& path, std::string_view map) {
  if (path.empty()) return std::nullopt;
  return files.add(path, map, "wrote the map after it to " + path);
}

}  // namespace arcwise::cli
