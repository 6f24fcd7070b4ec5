#include "format/cluster_slots.hpp"

#include <algorithm>
#include <map>

#include "format/columns.hpp"
#include "format/redis_reply.hpp"

namespace arcwise {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view form = "bring the whole output of `redis-cli CLUSTER SLOTS`, or with --json";

Error wrong(const Source& source, const YamlNode& at, std::string why) {
  return fault_at(source, at.at, text_at(source, at.at), std::move(why), std::string(form));
}

bool is_slot(const YamlNode& item) {
  return parse_count(item.text, redis_slots - 1).has_value();
}

// The plain list of --raw. A node is endpoint, port and id, then either an empty line, or names and values,
// or (before 7.0) nothing; so an id two lines on means that another node begins.
class Lines {
 public:
  explicit Lines(const Source& source, const YamlNode& lines) : source_(source), all_(lines.items) {}

  Result<YamlNode> ranges() {
    YamlNode out;
    out.kind = Kind::sequence;
    while (at_ < all_.size() && !all_[at_].is(Kind::null)) {
      YamlNode range;
      range.kind = Kind::sequence;
      range.at = all_[at_].at;
      for (int i = 0; i < 2; ++i) {
        if (at_ == all_.size() || !is_slot(all_[at_]))
          return wrong(source_, all_[std::min(at_, all_.size() - 1)], "expected a slot, 0 to 16383");
        range.items.push_back(all_[at_++]);
      }
      do {
        if (!begins_node())
          return wrong(source_, all_[std::min(at_, all_.size() - 1)],
                       "expected an address, a port and an id");
        range.items.push_back(node());
      } while (begins_node());
      out.items.push_back(std::move(range));
    }
    return out;
  }

 private:
  bool begins_node() const { return at_ + 2 < all_.size() && is_redis_id(all_[at_ + 2].text); }

  YamlNode node() {
    YamlNode out, about;
    out.kind = about.kind = Kind::sequence;
    out.at = about.at = all_[at_].at;
    for (int i = 0; i < 3; ++i) out.items.push_back(all_[at_++]);
    if (at_ < all_.size() && all_[at_].is(Kind::null) && !begins_node()) ++at_;
    while (at_ + 1 < all_.size() && (all_[at_].text == "ip" || all_[at_].text == "hostname") &&
           !begins_node())
      for (int i = 0; i < 2; ++i) about.items.push_back(all_[at_++]);
    out.items.push_back(std::move(about));
    return out;
  }

  const Source& source_;
  const std::vector<YamlNode>& all_;
  std::size_t at_ = 0;
};

Result<RedisNode> read_node(const Source& source, const YamlNode& item) {
  if (!item.is(Kind::sequence) || item.items.size() < 3)
    return wrong(source, item, "expected a node: endpoint, port, id");
  const YamlNode &endpoint = item.items[0], &port = item.items[1], &id = item.items[2];
  RedisNode out;
  out.at = mark_at(source, id.at);
  out.id = id.text;
  if (!is_redis_id(id.text)) return wrong(source, id, "expected a node id, 40 hexadecimal digits");
  const auto number = parse_count(port.text, 65535);
  if (!number) return wrong(source, port, "expected a port, 0 to 65535");
  out.port = static_cast<std::uint16_t>(*number);
  out.ip = endpoint.text == "?" ? "" : endpoint.text;
  if (item.items.size() > 3) {
    if (const YamlNode* ip = reply_field(item.items[3], "ip")) out.ip = ip->text;
    if (const YamlNode* name = reply_field(item.items[3], "hostname")) out.hostname = name->text;
  }
  return out;
}

// A node stands in each of its ranges; it is the master in all of them, or a replica of one master.
std::optional<Error> merge(const RedisNode& node, std::map<std::string, RedisNode>& all) {
  const auto [at, fresh] = all.emplace(node.id, node);
  RedisNode& known = at->second;
  if (fresh) return std::nullopt;
  if (known.master != node.master || known.master_id != node.master_id)
    return Error{
        ErrorKind::input, node.at, node.id,
        known.master != node.master
            ? "a master of some slots and a replica for others (line " + std::to_string(known.at.line) + ")"
            : "a replica of two masters, " + known.master_id + " and " + node.master_id,
        "take the output again when the cluster agrees"};
  known.slots.insert(known.slots.end(), node.slots.begin(), node.slots.end());
  return std::nullopt;
}

std::optional<Error> read_range(const Source& source, const YamlNode& range,
                                std::map<std::string, RedisNode>& all) {
  if (!range.is(Kind::sequence) || range.items.size() < 3)
    return wrong(source, range, "expected a range: first slot, last slot, master, replicas");
  for (int i = 0; i < 2; ++i)
    if (!is_slot(range.items[static_cast<std::size_t>(i)]))
      return wrong(source, range.items[static_cast<std::size_t>(i)], "expected a slot, 0 to 16383");
  const auto first = parse_count(range.items[0].text, redis_slots - 1),
             last = parse_count(range.items[1].text, redis_slots - 1);
  if (*first > *last) return wrong(source, range.items[0], "a range that ends before it starts");
  std::string master;
  for (std::size_t i = 2; i < range.items.size(); ++i) {
    auto node = read_node(source, range.items[i]);
    if (!node) return node.error();
    node->master = i == 2;
    node->replica = i > 2;
    if (node->master) {
      master = node->id;
      node->slots.push_back({mark_at(source, range.items[0].at), static_cast<std::uint32_t>(*first),
                             static_cast<std::uint32_t>(*last)});
    } else {
      node->master_id = master;
    }
    if (auto error = merge(*node, all)) return error;
  }
  return std::nullopt;
}

}  // namespace

Result<RedisNodes> read_cluster_slots(const Source& source) {
  auto reply = read_redis_reply(source);
  if (!reply) return reply.error();
  if (reply->flat) {
    auto ranges = Lines(source, reply->root).ranges();
    if (!ranges) return ranges.error();
    reply->root = std::move(*ranges);
  }
  std::map<std::string, RedisNode> all;
  for (const YamlNode& range : reply->root.items)
    if (auto error = read_range(source, range, all)) return *error;
  if (all.empty()) return wrong(source, reply->root, "no range of slots in this answer");
  RedisNodes nodes;
  for (auto& [id, node] : all) nodes.push_back(std::move(node));
  sort_by_id(nodes);
  return nodes;
}

// On a terminal, as JSON, or one value a line: first slot, last slot, address, port, id.
bool is_cluster_slots(std::string_view text) {
  if (text.starts_with("1) 1) (integer) ")) return true;
  std::string flat(text.substr(0, 256));
  if (flat.starts_with('[')) {
    std::erase_if(flat, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
    const std::string_view head = flat;
    const std::size_t comma = head.find(','), list = head.find(",[");
    return head.starts_with("[[") && list != std::string_view::npos && comma < list &&
           parse_count(head.substr(2, comma - 2), redis_slots - 1) &&
           parse_count(head.substr(comma + 1, list - comma - 1), redis_slots - 1);
  }
  std::replace(flat.begin(), flat.end(), '\n', ' ');
  const auto cells = words(flat);
  const auto slot = [&](std::size_t i) { return parse_count(cells[i], redis_slots - 1).has_value(); };
  return cells.size() > 4 && slot(0) && slot(1) && is_redis_id(cells[4]);
}

}  // namespace arcwise
