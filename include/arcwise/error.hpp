// Errors as values: where, what, why, and what to do.
//
// Layer: model. The library never prints, throws to its caller or aborts on bad input; it returns Result.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace arcwise {

/// A place in an input. line and column count from 1 (column in bytes); 0 means "not known".
struct Mark {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// The values are the process exit codes.
enum class ErrorKind : std::uint8_t {
  input = 2,   ///< usage, or input that says something wrong
  io = 3,      ///< a file or connection failed
  refused = 4  ///< a guard said no
};

struct Error {
  ErrorKind kind = ErrorKind::input;
  Mark where;
  std::string what;    ///< the offending text, verbatim (shortened when long); may be empty
  std::string why;     ///< what is wrong with it
  std::string advice;  ///< what to do
};

/// `file:line:column: why: "what"; advice`, with control characters escaped.
std::string to_string(const Error& error);

/// A value or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Something a check, an importer or a plan noticed. Severity error makes `check` exit 1.
struct Finding {
  enum class Severity : std::uint8_t { info, warning, error };
  Severity severity = Severity::info;
  std::string rule;     ///< stable identifier, kebab-case
  std::string subject;  ///< the node, range or field it is about
  std::string message;
  std::string advice;
};

}  // namespace arcwise
