// Files that a verb leaves behind: whole or not at all, and all of them or none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/error.hpp"
#include "cli/session.hpp"

namespace arcwise::cli {

/// Written beside their places first and renamed once all are written, so that a reader, a full disk or a
/// wrong path never leaves half of them.
class OutputFiles {
 public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();

  /// `said` is told once all are there. An error where one path is given twice.
  std::optional<Error> add(const std::string& path, std::string_view bytes, std::string said = "");
  std::optional<Error> commit(Session& session);

 private:
  struct Staged {
    std::string path, beside;  ///< renamed from `beside`; a pipe or /dev/stdout has none
    int descriptor = -1;       ///< of a pipe
    std::string bytes;         ///< for it
  };
  std::vector<Staged> staged_;
  std::vector<std::string> said_;
};

/// One file alone.
std::optional<Error> write_whole(const std::string& path, std::string_view bytes, Session& session);
/// The map after a change, where a file is named for it.
std::optional<Error> add_map_after(OutputFiles& files, const std::string& path, std::string_view map);

}  // namespace arcwise::cli
