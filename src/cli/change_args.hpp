// --add, --remove, --weight and --replace, as a Change.
#pragma once

#include "arcwise/change.hpp"
#include "cli/args.hpp"

namespace arcwise::cli {

class ChangeArgs {
 public:
  void declare(Args& args);
  const Change& change() const { return change_; }
  /// As they were given: "--add", "n13,rack=r1", …
  const std::vector<std::string>& words() const { return words_; }

 private:
  void note(const char* option, const std::string& value) { words_.insert(words_.end(), {option, value}); }

  Change change_;
  std::vector<std::string> words_;
};

}  // namespace arcwise::cli
