#include "format/capacities.hpp"

#include <set>

#include "format/text_lines.hpp"
#include "format/yaml.hpp"

namespace arcwise {
namespace {

constexpr double least_capacity = 1e-3, most_capacity = 1e21;
constexpr const char* advice = "write `NODE CAPACITY`, one a line, such as `n1 4TB`";

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t") - start + 1);
}

bool is_remark(std::string_view text) {
  return text.empty() || text.front() == '#';
}

// "n1: 4TB" and "{"n1": 4}", but not "10.0.0.1:11211 4TB".
bool is_yaml(const std::vector<TextLine>& lines) {
  for (const TextLine& line : lines) {
    const std::string_view text = trimmed(line.text);
    if (is_remark(text)) continue;
    return text.front() == '{' || text == "---" || text.ends_with(':') ||
           text.find(": ") != std::string_view::npos;
  }
  return false;
}

std::optional<double> capacity_of(std::string_view text) {
  const auto size = parse_size(text);
  return size && *size >= least_capacity && *size <= most_capacity ? size : std::nullopt;
}

Result<std::vector<DeclaredCapacity>> from_yaml(const Source& source) {
  const auto tree = read_yaml(source);
  if (!tree) return tree.error();
  if (!tree->is(YamlNode::Kind::map) || tree->items.empty())
    return fault_at(source, tree->at, "", "no capacity is declared", "write `n1: 4TB`, one a line");
  std::vector<DeclaredCapacity> out;
  for (const YamlNode& item : tree->items) {
    const auto capacity = item.is(YamlNode::Kind::scalar) ? capacity_of(item.text) : std::nullopt;
    if (!capacity)
      return fault_at(source, item.at, text_at(source, item.at),
                      "the capacity of '" + item.key + "' is no size from 0.001 to 1000EB",
                      "write a number or a size, such as 4TB");
    out.push_back({item.key, *capacity});
  }
  return out;
}

}  // namespace

Result<std::vector<DeclaredCapacity>> parse_capacities(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  if (is_yaml(*lines)) return from_yaml(source);
  std::vector<DeclaredCapacity> out;
  std::set<std::string_view> names;
  for (const TextLine& line : *lines) {
    const std::string_view text = trimmed(line.text);
    if (is_remark(text)) continue;
    const std::size_t gap = text.find_first_of(" \t");
    if (gap == std::string_view::npos) return line.fault(text, "a node without its capacity", advice);
    const std::string_view name = text.substr(0, gap), size = trimmed(text.substr(gap));
    const auto capacity = capacity_of(size);
    if (!capacity) return line.fault(size, "a capacity that is no size from 0.001 to 1000EB", advice);
    if (!names.insert(name).second)
      return line.fault(name, "a node's capacity is declared twice", "keep one of the lines");
    out.push_back({std::string(name), *capacity});
  }
  if (out.empty()) return no_rows(*lines, "no capacity is declared", advice);
  return out;
}

}  // namespace arcwise
