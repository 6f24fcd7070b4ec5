// --add, --remove, --weight, --replace and what is asked of partitions, as a Change.
#pragma once

#include <optional>
#include <string>

#include "arcwise/change.hpp"
#include "cli/args.hpp"
#include "cli/part_args.hpp"

namespace arcwise::cli {

class ChangeArgs {
 public:
  void declare(Args& args);
  /// Once, before change(): the file of --pins.
  std::optional<Error> read_files();
  /// Two wishes for one node that exclude each other.
  std::optional<Error> refused() const;
  void take_as_down(std::vector<std::string> nodes) { change_.parts.down = std::move(nodes); }
  const Change& change() const { return change_; }
  /// As they were given: "--add", "n13,rack=r1", …
  const std::vector<std::string>& words() const { return words_; }

 private:
  void note(const char* option, const std::string& value) { words_.insert(words_.end(), {option, value}); }
  NoteOption noting() {
    return [this](const char* option, const std::string& value) { note(option, value); };
  }

  Change change_;
  std::vector<std::string> words_;
  std::string pins_file_;
};

}  // namespace arcwise::cli
