#include "format/cluster_shards.hpp"

#include <algorithm>

#include "format/columns.hpp"
#include "format/redis_reply.hpp"

namespace arcwise {
namespace {

constexpr std::string_view form = "bring the whole output of `redis-cli CLUSTER SHARDS`, or with --json";

Error wrong(const Source& source, const YamlNode& at, std::string why) {
  return fault_at(source, at.at, text_at(source, at.at), std::move(why), std::string(form));
}

// The plain list of --raw as shards of fields: "slots", numbers, "nodes", then names and values; "id" begins
// a node. A name is followed by its value, so a node whose host is called "slots" ends nothing.
Result<YamlNode> shards_of_lines(const Source& source, const YamlNode& lines) {
  using Kind = YamlNode::Kind;
  const auto is = [&](std::size_t i, std::string_view text) {
    return i < lines.items.size() && lines.items[i].text == text;
  };
  const auto list = [](const YamlNode& at, Kind kind) {
    YamlNode node;
    node.kind = kind;
    node.at = at.at;
    return node;
  };
  YamlNode shards = list(lines, Kind::sequence);
  std::size_t i = 0;
  while (i < lines.items.size() && !lines.items[i].is(Kind::null)) {
    if (!is(i, "slots")) return wrong(source, lines.items[i], "expected `slots`, where a shard begins");
    YamlNode slots = list(lines.items[i], Kind::sequence), nodes = list(lines.items[i], Kind::sequence);
    for (++i; i < lines.items.size() && !is(i, "nodes"); ++i) slots.items.push_back(lines.items[i]);
    if (i == lines.items.size())
      return wrong(source, lines.items.back(), "the answer ends before the shard's nodes");
    for (++i; i < lines.items.size() && !is(i, "slots") && !lines.items[i].is(Kind::null); i += 2) {
      if (i + 1 == lines.items.size())
        return wrong(source, lines.items[i], "the answer ends before this field's value");
      if (is(i, "id")) nodes.items.push_back(list(lines.items[i], Kind::map));
      if (nodes.items.empty()) return wrong(source, lines.items[i], "expected `id`, where a node begins");
      YamlNode value = lines.items[i + 1];
      value.key = lines.items[i].text;
      nodes.items.back().items.push_back(std::move(value));
    }
    slots.key = "slots";
    nodes.key = "nodes";
    YamlNode& shard = shards.items.emplace_back(list(slots, Kind::map));
    shard.items.push_back(std::move(slots));
    shard.items.push_back(std::move(nodes));
  }
  return shards;
}

std::optional<Error> read_port(const Source& source, const YamlNode& node, RedisNode& out) {
  const YamlNode* port = reply_field(node, "port");
  if (!port) port = reply_field(node, "tls-port");
  if (!port) return wrong(source, node, "a node without a port");
  const auto number = parse_count(port->text, 65535);
  if (!number) return wrong(source, *port, "expected a port, 0 to 65535");
  out.port = static_cast<std::uint16_t>(*number);
  return std::nullopt;
}

Result<RedisNode> read_node(const Source& source, const YamlNode& node) {
  RedisNode out;
  const auto text = [&](std::string_view name) {
    const YamlNode* field = reply_field(node, name);
    return field ? field->text : std::string{};
  };
  const YamlNode *id = reply_field(node, "id"), *role = reply_field(node, "role"),
                 *health = reply_field(node, "health");
  if (!id) return wrong(source, node, "a node without an id");
  if (!is_redis_id(id->text)) return wrong(source, *id, "expected a node id, 40 hexadecimal digits");
  out.at = mark_at(source, id->at);
  out.id = id->text;
  out.ip = text("ip");
  out.hostname = text("hostname");
  if (auto error = read_port(source, node, out)) return *error;
  if (!role) return wrong(source, node, "a node without a role");
  out.master = role->text == "master";
  out.replica = role->text == "replica" || role->text == "slave";
  if (!out.master && !out.replica) return wrong(source, *role, "expected a role, master or replica");
  if (!health) return wrong(source, node, "a node without its health");
  out.failed = health->text == "fail";
  out.loading = health->text == "loading";
  if (!out.failed && !out.loading && health->text != "online")
    return wrong(source, *health, "expected a health: online, fail or loading");
  return out;
}

std::optional<Error> read_slots(const Source& source, const YamlNode& slots, RedisNode& master) {
  if (slots.items.size() % 2 != 0)
    return wrong(source, slots.items.back(), "a first slot without a last one");
  for (std::size_t i = 0; i < slots.items.size(); i += 2) {
    for (const std::size_t k : {i, i + 1})
      if (!parse_count(slots.items[k].text, redis_slots - 1))
        return wrong(source, slots.items[k], "expected a slot, 0 to 16383");
    const auto first = parse_count(slots.items[i].text, redis_slots - 1),
               last = parse_count(slots.items[i + 1].text, redis_slots - 1);
    if (*first > *last) return wrong(source, slots.items[i], "a range that ends before it starts");
    master.slots.push_back({mark_at(source, slots.items[i].at), static_cast<std::uint32_t>(*first),
                            static_cast<std::uint32_t>(*last)});
  }
  return std::nullopt;
}

// The master of a shard is the one that has not failed, where a replica was promoted and the old master has
// not come back yet.
std::optional<Error> read_shard(const Source& source, const YamlNode& shard, RedisNodes& all) {
  const YamlNode *slots = reply_field(shard, "slots"), *nodes = reply_field(shard, "nodes");
  if (!slots || !nodes) return wrong(source, shard, "a shard without slots and nodes");
  const std::size_t first = all.size();
  for (const YamlNode& item : nodes->items) {
    auto node = read_node(source, item);
    if (!node) return node.error();
    all.push_back(std::move(*node));
  }
  RedisNode* master = nullptr;
  for (std::size_t n = first; n < all.size(); ++n) {
    if (!all[n].master) continue;
    if (master && master->failed == all[n].failed)
      return Error{ErrorKind::input, all[n].at, all[n].id,
                   "a second master of one shard, beside " + master->id, "wait until the cluster agrees"};
    if (!master || master->failed) master = &all[n];
  }
  if (!master && !slots->items.empty())
    return wrong(source, *slots, "a shard with slots and without a master");
  for (std::size_t n = first; master && n < all.size(); ++n)
    if (all[n].replica) all[n].master_id = master->id;
  return master ? read_slots(source, *slots, *master) : std::nullopt;
}

}  // namespace

Result<RedisNodes> read_cluster_shards(const Source& source) {
  auto reply = read_redis_reply(source);
  if (!reply) return reply.error();
  if (reply->flat) {
    auto shards = shards_of_lines(source, reply->root);
    if (!shards) return shards.error();
    reply->root = std::move(*shards);
  }
  RedisNodes nodes;
  for (const YamlNode& shard : reply->root.items)
    if (auto error = read_shard(source, shard, nodes)) return *error;
  if (nodes.empty()) return wrong(source, reply->root, "no node in this answer");
  sort_by_id(nodes);
  for (std::size_t n = 1; n < nodes.size(); ++n)
    if (nodes[n].id == nodes[n - 1].id)
      return Error{ErrorKind::input, nodes[n].at, nodes[n].id, "this node is listed twice",
                   "give the views of several nodes as separate files"};
  return nodes;
}

bool is_cluster_shards(std::string_view text) {
  text = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (!text.starts_with('['))
    return text.starts_with("1) 1) \"slots\"") || text.starts_with("1) 1# \"slots\"") ||
           ((text.starts_with("slots\n") || text.starts_with("slots\r\n")) &&
            text.find("\nnodes") != std::string_view::npos);
  std::string head(text.substr(0, 64));
  std::erase_if(head, [](char c) { return is_blank(c) || c == '\r' || c == '\n'; });
  return head.starts_with("[{\"slots\":[") || head.starts_with("[[\"slots\",[");
}

}  // namespace arcwise
