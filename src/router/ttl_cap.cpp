#include "router/ttl_cap.hpp"

#include <algorithm>
#include <charconv>

namespace arcwise::router {
namespace {

constexpr std::int64_t longest_relative = 60 * 60 * 24 * 30;

}  // namespace

void append_capped(std::string& out, std::string_view exptime, const TtlCap& cap) {
  std::int64_t value = 0;
  std::from_chars(exptime.data(), exptime.data() + exptime.size(), value);
  std::int64_t left = value;
  if (value > longest_relative) left = cap.now > 0 ? value - cap.now : cap.longest.count();
  const bool over = value < 0 || (value > longest_relative && left <= 0);
  if (over) {
    out.append(exptime);
    return;
  }
  out.append(std::to_string(left == 0 ? cap.longest.count() : std::min(left, cap.longest.count())));
}

void append_capped_rest(std::string& out, const McRequest& request, const TtlCap& cap) {
  std::string_view rest = request.rest;
  switch (request.verb) {
    case McVerb::set:
    case McVerb::add:
    case McVerb::replace:
    case McVerb::cas:
      out.append(1, ' ').append(next_word(rest)).append(1, ' ');
      append_capped(out, next_word(rest), cap);
      out.append(rest);
      break;
    case McVerb::touch:
      out.append(1, ' ');
      append_capped(out, next_word(rest), cap);
      out.append(rest);
      break;
    default:
      out.append(rest);
  }
}

// T is the time to live of what is found or set, N of what is made where nothing was found. The first word of
// a meta set is the size of its value.
void append_capped_flags(std::string& out, McVerb verb, std::string_view flags, const TtlCap& cap) {
  bool has_time = false;
  for (std::string_view word = next_word(flags); !word.empty(); word = next_word(flags)) {
    out.append(1, ' ');
    if (word.front() != 'T' && word.front() != 'N') {
      out.append(word);
      continue;
    }
    has_time |= word.front() == 'T';
    out.append(1, word.front());
    append_capped(out, word.substr(1), cap);
  }
  if (verb == McVerb::meta_set && !has_time) {
    out.append(" T");
    append_capped(out, "0", cap);
  }
}

}  // namespace arcwise::router
