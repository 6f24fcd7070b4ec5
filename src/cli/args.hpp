// What a verb takes on its command line: one record an argument, from which parsing, help and completion are
// made.
//
// A verb binds each argument to a variable; parse() fills them or returns a usage error in one sentence.
// CLI11 does the splitting of the command line and is included in args.cpp only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/error.hpp"

namespace arcwise::cli {

/// What completion offers for a value.
enum class Completes : std::uint8_t { nothing, files, choices };

class Args {
 public:
  /// Takes one value's text; returns what is wrong with it, or an empty string.
  using Setter = std::function<std::string(const std::string&)>;

  struct Argument {
    std::string flags{};  ///< "-o,--output"; for an operand its name, "MAP"
    std::string value{};  ///< name of the value in help; empty for a switch
    std::string help{};
    bool operand = false;
    bool repeats = false;   ///< may be given more than once
    std::size_t least = 0;  ///< operands: how many must be given
    Completes completes = Completes::nothing;
    std::vector<std::string> choices{};
    Setter set{};
    std::string longest_flag() const;
  };

  /// A positional argument. least = 0 makes it optional.
  Args& operand(std::string_view name, std::string& into, std::string_view help, std::size_t least = 1);
  Args& operands(std::string_view name, std::vector<std::string>& into, std::string_view help,
                 std::size_t least);

  Args& flag(std::string_view flags, bool& into, std::string_view help);
  Args& option(std::string_view flags, std::string_view value, std::string& into, std::string_view help);
  Args& option(std::string_view flags, std::string_view value, std::vector<std::string>& into,
               std::string_view help);
  Args& option(std::string_view flags, std::string_view value, std::uint64_t& into, std::string_view help);
  Args& option(std::string_view flags, std::string_view value, std::optional<std::uint32_t>& into,
               std::string_view help);
  Args& option(std::string_view flags, std::string_view value, Setter set, std::string_view help);

  // About the argument declared last.
  Args& files();
  Args& one_of(std::vector<std::string> choices);
  Args& repeatable();
  Args& single();

  const std::vector<Argument>& all() const { return arguments_; }
  std::optional<Error> parse(std::vector<std::string> words) const;

 private:
  Args& add(Argument argument);
  std::vector<Argument> arguments_;
};

/// The choice nearest to a mistyped word, if any is near: "stauts" gives "status".
std::string nearest(std::string_view word, const std::vector<std::string>& choices);

/// "a, b or c".
std::string any_of(const std::vector<std::string>& choices);

}  // namespace arcwise::cli
