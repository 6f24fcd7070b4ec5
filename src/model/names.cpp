#include <algorithm>
#include <array>

#include "arcwise/map.hpp"
#include "model/text.hpp"

namespace arcwise {
namespace {

constexpr std::array<std::string_view, 3> state_names{"normal", "joining", "leaving"};
constexpr std::array<std::string_view, 4> across_names{"node", "host", "rack", "zone"};
constexpr std::size_t shown_text = 80;

// Error text is shown on a terminal and in JSON, so bytes that would act there, or are no UTF-8, become \xNN.
std::string escaped(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text, at));
    if (at + length > shown_text) return out + "…";
    std::size_t fault_at = 0;
    const std::string_view character = text.substr(at, length);
    if (next_fault(character, fault_at) == TextFault::none) {
      out += character;
    } else {
      for (char c : character) {
        const auto byte = static_cast<unsigned char>(c);
        out += "\\x";
        out += digits[byte >> 4];
        out += digits[byte & 15];
      }
    }
    at += length;
  }
  return out;
}

}  // namespace

std::string_view to_string(NodeState state) {
  return state_names[static_cast<std::size_t>(state)];
}
std::string_view to_string(Across across) {
  return across_names[static_cast<std::size_t>(across)];
}

std::optional<Across> find_across(std::string_view name) {
  for (std::size_t i = 0; i < across_names.size(); ++i)
    if (across_names[i] == name) return static_cast<Across>(i);
  return std::nullopt;
}

std::string to_string(const Error& error) {
  std::string out;
  if (!error.where.file.empty()) out += error.where.file + ":";
  if (error.where.line) {
    out += std::to_string(error.where.line) + ":";
    if (error.where.column) out += std::to_string(error.where.column) + ":";
  }
  if (!out.empty()) out += " ";
  out += error.why;
  if (!error.what.empty()) out += ": \"" + escaped(error.what) + "\"";
  if (!error.advice.empty()) out += "; " + error.advice;
  return out;
}

}  // namespace arcwise
