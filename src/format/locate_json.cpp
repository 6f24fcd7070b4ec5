#include "format/locate_json.hpp"

#include <array>

#include "format/json_text.hpp"

namespace arcwise {

std::string hex_digits(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (char c : bytes) {
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

LocateJson::LocateJson(const Placement& placement) : placement_(placement) {
  for (const Node& node : placement.map().nodes()) append_json_string(names_.emplace_back(), node.name);
}

void LocateJson::begin(std::string& out) const {
  out += "{\"schema\": \"arcwise/locate/v1\", \"locate\": [";
}

void LocateJson::add(std::string& out, std::string_view key, KeyHash hash,
                     std::span<const NodeIndex> owners) {
  out += first_ ? "\n{\"key\": " : ",\n{\"key\": ";
  first_ = false;
  append_json_string(out, key);
  if (!valid_utf8(key)) {  // JSON cannot hold these bytes; the text above has U+FFFD in their place
    out += ", \"key_hex\": ";
    append_json_string(out, hex_digits(key));
  }
  out += ", \"hash\": ";
  append_json_string(out, to_text(placement_.map().space(), {hash.value}));
  out += ", \"owners\": [";
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (i) out += ", ";
    out += names_[owners[i]];
  }
  out += "]}";
}

void LocateJson::end(std::string& out) const {
  out += "\n]}\n";
}

std::string locate_json(const Placement& placement, std::span<const std::string> keys) {
  LocateJson json(placement);
  std::array<NodeIndex, max_replicas> owners;
  std::string out;
  json.begin(out);
  for (const std::string& key : keys) {
    const KeyHash hash = placement.hash(key);
    const std::size_t n = placement.owners({key, hash, {}}, owners);
    json.add(out, key, hash, {owners.data(), n});
  }
  json.end(out);
  return out;
}

}  // namespace arcwise
