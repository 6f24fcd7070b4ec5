#include <array>
#include <utility>

#include "arcwise/map.hpp"

namespace arcwise {
namespace {

constexpr std::array<std::string_view, 3> state_names{"normal", "joining", "leaving"};
constexpr std::array<std::string_view, 4> across_names{"node", "host", "rack", "zone"};
constexpr std::size_t shown_text = 80;

// Error text is shown on a terminal and in JSON, so bytes that would act there are written as \xNN.
std::string escaped(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (char c : text.substr(0, shown_text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  if (text.size() > shown_text) out += "…";
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
