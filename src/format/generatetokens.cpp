// Generating tokens for 6 nodes with 4 vnodes each for replication factor 3 and partitioner
// Murmur3Partitioner Node 0 rack 0: [-8472904455104925488, -4125612271507531626, …]
#include "format/generatetokens.hpp"

#include <algorithm>
#include <map>

#include "format/cassandra_yaml.hpp"
#include "format/columns.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

constexpr std::string_view start = "Generating tokens for ";
constexpr std::string_view advice = "bring the whole output of generatetokens";

struct Order {
  std::uint64_t nodes = 0, tokens = 0, replicas = 0;
  bool random = false;
};

Result<Order> read_order(const TextLine& line) {
  Order out;
  std::string_view rest = trim(line.text).substr(start.size());
  const auto number = [&](std::string_view before, std::uint64_t last,
                          std::uint64_t& to) -> std::optional<Error> {
    rest = trim(rest);
    if (!rest.starts_with(before))
      return line.fault(rest, "expected `" + std::string(before) + "`", std::string(advice));
    rest.remove_prefix(before.size());
    const std::string_view word = take_word(rest);
    const auto value = parse_count(word, last);
    if (!value || *value == 0)
      return word.empty() ? line.fault_at_end("the line is cut short", std::string(advice))
                          : line.fault(word, "expected a whole number above 0", std::string(advice));
    to = *value;
    return std::nullopt;
  };
  if (auto error = number("", 1 << 20, out.nodes)) return *error;
  if (auto error = number("nodes with ", 1 << 20, out.tokens)) return *error;
  if (auto error = number("vnodes each for replication factor ", max_replicas, out.replicas)) return *error;
  rest = trim(rest);
  const std::string_view partitioner = rest.substr(rest.rfind(' ') + 1);
  out.random = partitioner == "RandomPartitioner";
  if (!out.random && partitioner != "Murmur3Partitioner")
    return line.fault(partitioner.empty() ? rest : partitioner,
                      "expected Murmur3Partitioner or RandomPartitioner", std::string(advice));
  return out;
}

// `Node 0 rack 0: [a, b]`, perhaps with a data center before the rack.
Result<Node> read_node(const TextLine& line, const Order& order) {
  const std::size_t colon = line.text.find(':');
  const std::size_t open = line.text.find('['), close = line.text.find(']');
  std::string_view head = line.text.substr(0, colon);
  const std::string_view word = take_word(head), number = take_word(head);
  if (word != "Node" || !parse_count(number, 1 << 20) || colon == std::string_view::npos)
    return line.fault(trim(line.text), "expected e.g. `Node 0 rack 0: [1, 2]`", std::string(advice));
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return line.fault_at_end("the line ends before its tokens do", std::string(advice));
  Node node;
  node.name = "node" + std::string(number);
  while (!trim(head).empty()) {
    const std::string_view kind = take_word(head), value = take_word(head);
    if ((kind != "rack" && kind != "dc") || value.empty())
      return line.fault(kind, "expected `rack` and its number", std::string(advice));
    (kind == "rack" ? node.rack : node.zone) = std::string(kind) + std::string(value);
  }
  for (std::string_view rest = line.text.substr(open + 1, close - open - 1); !rest.empty();) {
    const std::string_view piece = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
    const std::string_view text = trim(piece);
    const auto token = from_text(cassandra_space(order.random), text);
    if (!token)
      return line.fault(text.empty() ? piece : text, "not a token of this partitioner", std::string(advice));
    node.tokens.push_back(*token);
  }
  if (node.tokens.size() != order.tokens)
    return line.fault(
        number,
        std::to_string(node.tokens.size()) + " tokens, where each node has " + std::to_string(order.tokens),
        std::string(advice));
  std::sort(node.tokens.begin(), node.tokens.end());
  return node;
}

}  // namespace

bool is_generatetokens_line(std::string_view line) {
  return line.starts_with(start);
}

Result<Cluster> import_generatetokens(const Inputs& inputs) {
  const auto lines = text_lines(inputs.sources.front());
  if (!lines) return lines.error();
  ClusterMap::Parts parts;
  std::optional<Order> order;
  std::map<Token, std::string> holders;
  Mark at;
  for (const TextLine& line : *lines) {
    if (trim(line.text).empty()) continue;
    if (trim(line.text).starts_with(start)) {
      if (order) return line.fault(trim(line.text), "a second list of tokens", "bring one output at a time");
      auto read = read_order(line);
      if (!read) return read.error();
      order = *read;
      at = line.mark(line.text);
      continue;
    }
    if (!order) return line.fault(trim(line.text), "expected `Generating tokens for …`", std::string(advice));
    auto node = read_node(line, *order);
    if (!node) return node.error();
    for (const Token token : node->tokens)
      if (const auto [holder, fresh] = holders.emplace(token, node->name); !fresh)
        return line.fault(line.text,
                          "the token " + to_text(cassandra_space(order->random), token) + " is of " +
                              holder->second + " already",
                          std::string(advice));
    parts.nodes.push_back(std::move(*node));
  }
  if (!order) return no_rows(*lines, "no list of tokens in this file", std::string(advice));
  if (parts.nodes.size() != order->nodes)
    return Error{ErrorKind::input, at, std::to_string(parts.nodes.size()) + " nodes",
                 "the list announces " + std::to_string(order->nodes), std::string(advice)};
  parts.placement.recipe = find_recipe(order->random ? "cassandra-random" : "cassandra-murmur3");
  parts.placement.hash = parts.placement.recipe->hash;
  parts.placement.given = true;
  parts.replicas = {inputs.options.replicas.value_or(static_cast<std::uint32_t>(order->replicas)),
                    inputs.options.across.value_or(Across::rack),
                    WhenShort::repeat,
                    {}};
  auto map = ClusterMap::build(std::move(parts), at);
  if (!map) return map.error();
  Observed observed;
  observed.format = "generatetokens";
  observed.down = NodeSet(map->nodes().size());
  return Cluster{std::move(*map), std::move(observed)};
}

}  // namespace arcwise
