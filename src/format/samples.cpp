#include "format/samples.hpp"

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "format/text_lines.hpp"

namespace arcwise {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The colon before a weight: the second one of "10.0.0.1:11211:2", any last one of a path, one that follows
// a bracketed address with its port. "10.0.0.1:11211" and "::1" have none.
std::size_t weight_colon(std::string_view address) {
  const std::size_t last = address.rfind(':');
  if (last == std::string_view::npos || last + 1 == address.size()) return std::string_view::npos;
  if (address.front() == '/' || address.starts_with("unix:/"))
    return last > 5 ? last : std::string_view::npos;
  const std::size_t bracket = address.front() == '[' ? address.find(']') : 0;
  if (bracket == std::string_view::npos) return bracket;
  const std::size_t first = address.find(':', bracket);
  const bool two = last > first + 1 && address.find(':', first + 1) == last;
  return two ? last : std::string_view::npos;
}

Result<Node> read_node(const TextLine& line, std::string_view piece) {
  Node node;
  const std::size_t space = piece.find_first_of(" \t");
  std::string_view address = piece.substr(0, space);
  if (const std::size_t colon = weight_colon(address); colon != std::string_view::npos) {
    const std::string text(address.substr(colon + 1));
    char* end = nullptr;
    node.weight = std::strtod(text.c_str(), &end);
    const bool number =
        text.find_first_not_of("0123456789.") == std::string::npos && end == text.c_str() + text.size();
    if (!number)
      return line.fault(address.substr(colon + 1), "a weight that is no number",
                        "write ADDRESS:PORT:WEIGHT, such as 10.0.0.1:11211:2");
    address = address.substr(0, colon);
  }
  node.name = space == std::string_view::npos ? address : trimmed(piece.substr(space));
  if (space != std::string_view::npos || address.find(':') != std::string_view::npos) node.address = address;
  return node;
}

std::optional<Error> read_line(const TextLine& line, std::set<std::string>& names, std::vector<Node>& out) {
  std::string_view rest = line.text;
  if (rest.starts_with('#')) return std::nullopt;
  while (true) {
    const std::size_t comma = rest.find(',');
    if (const std::string_view piece = trimmed(rest.substr(0, comma)); !piece.empty()) {
      auto node = read_node(line, piece);
      if (!node) return node.error();
      if (!names.insert(node->name).second)
        return line.fault(piece, "a node is listed twice",
                          "a name is an identity: drop one, or name them apart as ADDRESS NAME");
      out.push_back(std::move(*node));
    }
    if (comma == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(comma + 1);
  }
}

// "n1,n2" gives n1; a quoted name may hold commas.
std::string_view first_owner(std::string_view owners) {
  if (!owners.starts_with('"')) return owners.substr(0, owners.find(','));
  for (std::size_t i = 1; i < owners.size(); ++i) {
    if (owners[i] == '\\')
      ++i;
    else if (owners[i] == '"')
      return owners.substr(0, i + 1);
  }
  return owners;
}

class NodeNames {
 public:
  explicit NodeNames(std::span<const Node> nodes) {
    for (auto field : {&Node::name, &Node::address, &Node::label, &Node::host}) {
      std::map<std::string, NodeIndex, std::less<>> level;
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        const auto [at, fresh] = level.emplace(nodes[n].*field, static_cast<NodeIndex>(n));
        if (!fresh) at->second = no_node;
      }
      names_.merge(level);  // what an earlier field has said stays
    }
  }
  NodeIndex find(std::string_view name) const {
    const auto at = names_.find(name);
    return at == names_.end() || name.empty() ? no_node : at->second;
  }

 private:
  std::map<std::string, NodeIndex, std::less<>> names_;
};

Error fault(const Source& source, std::uint32_t line, std::string_view what, std::string why,
            std::string advice) {
  return {ErrorKind::input,
          {source.name, line, 0},
          std::string(what.substr(0, 200)),
          std::move(why),
          std::move(advice)};
}

std::string some_names(std::span<const Node> nodes) {
  std::string out;
  for (std::size_t i = 0; i < nodes.size() && i < 5; ++i) out += (i ? ", " : "") + nodes[i].name;
  return out + (nodes.size() > 5 ? " …" : "");
}

}  // namespace

std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_string() ? json.get<std::string>() : std::string(text);
}

Result<std::vector<Node>> parse_node_list(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  std::vector<Node> out;
  std::set<std::string> names;
  for (const TextLine& line : *lines)
    if (auto error = read_line(line, names, out)) return *error;
  if (out.empty())
    return fault(source, 0, "", "no node is listed",
                 "write ADDRESS[:WEIGHT] [NAME], with commas or one a line");
  return out;
}

Result<std::vector<ObservedKey>> parse_samples(const Source& source, std::span<const Node> nodes) {
  const NodeNames names(nodes);
  std::vector<ObservedKey> out;
  std::string_view rest = source.bytes;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_raw_line(rest);
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos || line.find('\t', tab + 1) != std::string_view::npos)
      return fault(source, number, line,
                   tab == std::string_view::npos ? "no tab between key and node" : "more than one tab",
                   "write KEY, a tab, NODE, one a line, as `arcwise locate` prints them");
    const std::string node = unquoted(first_owner(line.substr(tab + 1)));
    const NodeIndex at = names.find(node);
    if (at == no_node)
      return fault(source, number, node, "a sample names no node of the list, or more than one",
                   "name it as the list does: " + some_names(nodes));
    out.push_back({unquoted(line.substr(0, tab)), at});
  }
  if (out.empty())
    return fault(source, 0, "", "no sample", "write KEY, a tab, NODE, one a line; some hundred are enough");
  return out;
}

}  // namespace arcwise
