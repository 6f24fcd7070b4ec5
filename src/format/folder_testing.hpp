#pragma once
// A folder for the files of one test, of its own: tests run side by side, and the same test runs plain and
// sanitized at the same moment.

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT: mkdtemp is POSIX

#include <filesystem>
#include <string>

namespace arcwise::testing {

class Folder {
 public:
  Folder() {
    std::string path = ::testing::TempDir() + "arcwise-test-XXXXXX";
    if (mkdtemp(path.data()))
      path_ = path;
    else
      ADD_FAILURE() << "no folder " << path;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace arcwise::testing
