// Reading node lines:
//
//     id ip:port@busport[,hostname[,name=value...]] flags master ping pong epoch link slot...
#include "format/cluster_nodes.hpp"

#include <algorithm>
#include <map>

#include "format/columns.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

constexpr std::size_t id_digits = 40;
constexpr std::string_view form =
    "a line is: id, ip:port@busport, flags, master, ping, pong, epoch, connected or disconnected, slots; is "
    "the line cut short?";

// A word that ends in a node id where none belongs: the next node's line is glued to this one.
Error misplaced(const TextLine& line, std::string_view word, std::string why) {
  const std::string_view tail = word.size() > id_digits ? word.substr(word.size() - id_digits) : word;
  if (is_redis_id(tail)) return line.fault(tail, std::move(why), "missing newline?");
  return line.fault(word, std::move(why), std::string(form));
}

// The port follows the last colon before '@': "2001:db8:0:1::10:1:6379@16379" is port 6379 of
// 2001:db8:0:1::10:1.
std::optional<Error> read_address(const TextLine& line, std::string_view word, RedisNode& node) {
  const std::size_t comma = word.find(',');
  const std::string_view endpoint = word.substr(0, comma);
  if (comma != std::string_view::npos) {
    const std::string_view extra = word.substr(comma + 1);
    node.hostname = std::string(extra.substr(0, extra.find(',')));
  }
  const std::size_t at = endpoint.rfind('@');
  const std::string_view socket = endpoint.substr(0, at);
  const std::size_t colon = socket.rfind(':');
  if (colon == std::string_view::npos) return line.fault(word, "expected ip:port@busport", std::string(form));
  const std::string_view port = socket.substr(colon + 1);
  const auto number = parse_count(port, 65535);
  if (!number)
    return line.fault(port.empty() ? word : port, "expected a port, 0 to 65535", std::string(form));
  node.port = static_cast<std::uint16_t>(*number);
  if (at != std::string_view::npos) {
    const std::string_view bus = endpoint.substr(at + 1);
    const auto bus_number = parse_count(bus, 65535);
    if (!bus_number)
      return line.fault(bus.empty() ? word : bus, "expected a bus port, 0 to 65535", std::string(form));
    node.bus_port = static_cast<std::uint16_t>(*bus_number);
  }
  std::string_view ip = socket.substr(0, colon);
  if (ip.starts_with('[') && ip.ends_with(']')) ip = ip.substr(1, ip.size() - 2);
  node.ip = std::string(ip);
  return std::nullopt;
}

std::optional<Error> read_flags(const TextLine& line, std::string_view word, RedisNode& node) {
  static const std::map<std::string_view, bool RedisNode::*> known{
      {"myself", &RedisNode::myself},      {"master", &RedisNode::master},
      {"slave", &RedisNode::replica},      {"fail", &RedisNode::failed},
      {"fail?", &RedisNode::suspected},    {"noaddr", &RedisNode::no_address},
      {"handshake", &RedisNode::handshake}};
  for (std::string_view rest = word; !rest.empty();) {
    const std::string_view flag = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), flag.size() + 1));
    if (const auto at = known.find(flag); at != known.end())
      node.*(at->second) = true;
    else if (flag.empty() ||
             flag.find_first_not_of("abcdefghijklmnopqrstuvwxyz?-_") != std::string_view::npos)
      return line.fault(word, "expected flags such as master or myself,slave", std::string(form));
    else if (flag != "nofailover" && flag != "noflags")
      node.unknown_flags.emplace_back(flag);
  }
  if (node.master && node.replica)
    return line.fault(word, "a node is a master or a replica, not both", std::string(form));
  return std::nullopt;
}

std::optional<Error> read_numbers(const TextLine& line, std::string_view& rest) {
  for (const std::string_view field : {"ping-sent", "pong-recv", "config-epoch"}) {
    const std::string_view word = take_word(rest);
    if (word.empty())
      return line.fault_at_end("the line ends before " + std::string(field), std::string(form));
    if (!parse_count(word, ~std::uint64_t{0}))
      return misplaced(line, word, "expected " + std::string(field) + ", a whole number");
  }
  return std::nullopt;
}

std::optional<Error> read_open_slot(const TextLine& line, std::string_view word, RedisNode& node) {
  const std::string_view inner = word.substr(1, word.size() - 2);
  const std::size_t arrow = inner.find('-');
  const std::string_view mark = inner.substr(std::min(arrow, inner.size()), 3);
  const auto slot = parse_count(inner.substr(0, arrow), redis_slots - 1);
  if (!word.ends_with(']') || !slot || (mark != "->-" && mark != "-<-") ||
      !is_redis_id(inner.substr(arrow + 3)))
    return line.fault(word, "expected [slot->-id] or [slot-<-id]", "is the line cut short?");
  node.open.push_back({line.mark(word), static_cast<std::uint32_t>(*slot), mark == "->-",
                       std::string(inner.substr(arrow + 3))});
  return std::nullopt;
}

std::optional<Error> read_slots(const TextLine& line, std::string_view word, RedisNode& node) {
  if (word.starts_with('[')) return read_open_slot(line, word, node);
  const std::size_t dash = word.find('-');
  const std::string_view first = word.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : word.substr(dash + 1);
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.size() <= 10 &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (!digits(first) || !digits(last)) return misplaced(line, word, "expected a slot or range");
  const auto from = parse_count(first, redis_slots - 1), to = parse_count(last, redis_slots - 1);
  if (!from || !to) return line.fault(word, "a slot outside 0 … 16383", "Redis Cluster has 16384 slots");
  if (*from > *to)
    return line.fault(word, "a range that ends before it starts", "write the lower slot first");
  node.slots.push_back({line.mark(word), static_cast<std::uint32_t>(*from), static_cast<std::uint32_t>(*to)});
  return std::nullopt;
}

Result<RedisNode> read_node(const TextLine& line) {
  RedisNode node;
  std::string_view rest = line.text;
  const std::string_view id = take_word(rest);
  node.at = line.mark(id);
  node.id = std::string(id);
  if (!is_redis_id(id)) return line.fault(id, "expected a node id, 40 hexadecimal digits", std::string(form));
  const std::string_view address = take_word(rest), flags = take_word(rest), master = take_word(rest);
  if (master.empty()) return line.fault_at_end("the line ends before its fourth field", std::string(form));
  if (auto error = read_address(line, address, node)) return *error;
  if (auto error = read_flags(line, flags, node)) return *error;
  if (master != "-" && !is_redis_id(master))
    return line.fault(master, "expected the master's id, or `-`", std::string(form));
  if (master != "-") node.master_id = std::string(master);
  if (auto error = read_numbers(line, rest)) return *error;
  const std::string_view link = take_word(rest);
  if (link.empty())
    return line.fault_at_end("the line ends before connected or disconnected", std::string(form));
  node.connected = link == "connected";
  if (!node.connected && link != "disconnected")
    return misplaced(line, link, "expected connected or disconnected");
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest))
    if (auto error = read_slots(line, word, node)) return *error;
  return node;
}

}  // namespace

Result<RedisNodes> read_cluster_nodes(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  RedisNodes nodes;
  std::map<std::string, std::uint32_t> seen;
  for (const TextLine& line : *lines) {
    const std::string_view text = trim(line.text);
    if (text.empty() || text.starts_with("vars ")) continue;  // the epochs of nodes.conf
    auto node = read_node(line);
    if (!node) return node.error();
    const auto [at, fresh] = seen.emplace(node->id, line.number);
    if (!fresh)
      return Error{ErrorKind::input, node->at, node->id,
                   "this node is listed on line " + std::to_string(at->second) + " already",
                   "give the views of several nodes as separate files"};
    nodes.push_back(std::move(*node));
  }
  if (nodes.empty()) return no_rows(*lines, "no node line in this file", std::string(form));
  sort_by_id(nodes);
  return nodes;
}

}  // namespace arcwise
