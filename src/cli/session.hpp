// One run of the program: where the answer goes, whether it is for a program or for people, and talk on
// stderr.
#pragma once

#include <string>
#include <string_view>

#include "arcwise/error.hpp"

namespace arcwise::cli {

/// Standard output, buffered. The first failed write is remembered and ends all further output.
class Out {
 public:
  explicit Out(int descriptor) : descriptor_(descriptor) {}
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;

  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= block) flush();
  }
  /// For loops that append piece by piece: append here, then call `spill()` now and then.
  std::string& buffer() { return buffer_; }
  void spill() {
    if (buffer_.size() >= block) flush();
  }
  void flush();
  bool failed() const { return error_ != 0; }
  int error() const { return error_; }

 private:
  static constexpr std::size_t block = std::size_t{1} << 18;
  int descriptor_;
  int error_ = 0;
  std::string buffer_;
};

struct Session {
  Out out{1};
  bool json = false;
  bool colour = false;       ///< a terminal, and no NO_COLOR
  bool talk_colour = false;  ///< the same for stderr

  /// One line of talk on stderr.
  void say(std::string_view line) const;
  /// A finding as talk: "warning: …".
  void say(const Finding& finding) const;
};

}  // namespace arcwise::cli
