// Redis's protocol, RESP2 and RESP3: where a reply ends, and the words of a command.
//
// Layer: router. Sans I/O. Both go on where they stopped, so that bytes that come one by one cost no more
// than all at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace arcwise::router {

/// Finds the end of one reply, whatever is nested in it.
class RespScanner {
 public:
  struct Found {
    std::size_t size = 0;  ///< of the whole reply; 0: there is more to come
    bool broken = false;   ///< this is no reply: the connection cannot be used any more
  };
  /// `bytes` begins with the reply, and has at least what it had at the last call for it.
  Found scan(std::string_view bytes) noexcept;
  /// Of a reply that is not whole and that nobody wants: how many bytes from its beginning need not be kept.
  /// May be more than there are. The next scan begins behind them.
  std::size_t forget() noexcept;

 private:
  bool header(std::string_view line) noexcept;

  std::size_t at_ = 0;         ///< scanned so far
  std::size_t payload_ = 0;    ///< of a string, with its line end, that is to come
  std::uint64_t missing_ = 1;  ///< values that are to come
};

struct RespLimits {
  std::size_t words = std::size_t{1} << 20;   ///< of a command: Redis's own
  std::size_t word = std::size_t{512} << 20;  ///< bytes of one: Redis's own
  std::size_t command = std::size_t{512} << 20;
  std::size_t inline_line = std::size_t{64} << 10;
};

/// Finds one command, an array of bulk strings or a line of words.
class RespRequest {
 public:
  enum class What : std::uint8_t {
    more,
    request,
    nothing,  ///< an empty line or array, which Redis passes over
    broken    ///< Redis answers `error` and closes: nothing behind it can be understood
  };
  struct Parsed {
    What what = What::more;
    std::size_t used = 0;
    std::string_view error{};
  };
  /// `bytes` begins with the command, and has at least what it had at the last call for it.
  Parsed parse(std::string_view bytes, const RespLimits& limits);

  /// The command as servers take it, an array: the bytes it was found in, or what a line of words says.
  std::string_view array(std::string_view bytes) const noexcept { return inline_ ? line_ : bytes; }
  /// Of the command found, as parts of that.
  std::size_t words() const noexcept { return words_.size(); }
  std::string_view word(std::string_view bytes, std::size_t i) const noexcept {
    return array(bytes).substr(words_[i].at, words_[i].size);
  }
  /// Before the next command.
  void reset() noexcept;

 private:
  struct Word {
    std::size_t at, size;
  };
  Parsed parse_line(std::string_view bytes, const RespLimits& limits);
  Parsed parse_array(std::string_view bytes, const RespLimits& limits);
  bool split(std::string_view line);
  Parsed unexpected(char got);
  Parsed broken(std::string_view error) const noexcept { return {What::broken, 0, error}; }

  std::vector<Word> words_;
  std::string line_, text_;  ///< a line of words, as an array, and without their lengths; line_: or an error
  std::size_t at_ = 0;
  std::size_t count_ = 0;  ///< of the array; 0: not known yet
  bool inline_ = false;
};

template <class Sink>
void append_command(Sink& out, const RespRequest& request, std::string_view bytes) {
  out.append(request.array(bytes));
}

}  // namespace arcwise::router
