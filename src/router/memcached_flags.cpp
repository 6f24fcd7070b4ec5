#include "router/memcached_flags.hpp"

#include "router/memcached_key.hpp"

namespace arcwise::router {
namespace {

// What is wrong with a flag of a meta command in memcached's words; empty: nothing.
std::string_view flag_error(std::string_view flag, std::string_view key) noexcept {
  const std::string_view value = flag.substr(1);
  constexpr std::uint64_t most = ~std::uint64_t{0};
  switch (flag.front()) {
    case 'b':
      return McKey(key, true).is_decoded() ? "" : "CLIENT_ERROR error decoding key\r\n";
    case 'N':
    case 'T':
    case 'R':
      return mc_is_time(value) ? "" : "CLIENT_ERROR bad token in command line format\r\n";
    case 'F':
      return mc_is_number(value, most) ? "" : "CLIENT_ERROR bad command line format\r\n";
    case 'C':
      return mc_is_number(value, most) ? "" : "CLIENT_ERROR bad token in command line format\r\n";
    case 'M':
      return value.size() == 1 ? "" : "CLIENT_ERROR incorrect length for M token\r\n";
    case 'J':
      return mc_is_number(value, most) ? "" : "CLIENT_ERROR invalid numeric initial value\r\n";
    case 'D':
      return mc_is_number(value, most) ? "" : "CLIENT_ERROR invalid numeric delta value\r\n";
    default:
      return "";
  }
}

}  // namespace

bool mc_is_number(std::string_view text, std::uint64_t most) noexcept {
  std::uint64_t value = 0;
  return mc_number(text, value) && value <= most;
}

bool mc_is_time(std::string_view text) noexcept {
  std::int64_t value = 0;
  return mc_number(text, value);
}

// Reads the flags as memcached does, to the end or to one that it does not know, or knows already, and the
// last error is told. So nothing is forwarded of which it is not known what a server makes of it.
std::string_view mc_take_flags(std::string_view flags, McRequest& out) noexcept {
  constexpr std::string_view known = "bNTRlOPLkstcfvhuqFCMJDI";
  std::string_view error;
  for (std::string_view flag = next_word(flags); !flag.empty(); flag = next_word(flags)) {
    const char letter = flag.front();
    if (static_cast<unsigned char>(letter) >= 127) return "CLIENT_ERROR duplicate flag\r\n";
    if (known.find(letter) == known.npos) return "CLIENT_ERROR invalid flag\r\n";
    if (out.has(letter)) return "CLIENT_ERROR duplicate flag\r\n";
    out.flags |= std::uint64_t{1} << (letter - '@');
    const std::string_view wrong = flag_error(flag, out.key);
    if (!wrong.empty() && (letter != 'F' || error.empty())) error = wrong;
  }
  return error;
}

std::string_view mc_set_error(std::string_view flags) noexcept {
  std::string_view error;
  for (std::string_view flag = next_word(flags); !flag.empty(); flag = next_word(flags)) {
    constexpr std::string_view modes = "SEAPR";
    if (flag.front() == 'M' && modes.find(flag[1]) == modes.npos)
      return "CLIENT_ERROR invalid mode for ms M token\r\n";
    if (flag.front() == 'O' && flag.size() > mc_longest_opaque)
      error = "CLIENT_ERROR opaque token too long\r\n";
  }
  return error;
}

}  // namespace arcwise::router
