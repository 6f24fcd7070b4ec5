#include "format/slot_stats.hpp"

#include "format/columns.hpp"
#include "format/redis_reply.hpp"

namespace arcwise {
namespace {

using Kind = YamlNode::Kind;

constexpr std::uint64_t last_slot = 16383;
constexpr std::string_view form =
    "bring the whole answer of `redis-cli CLUSTER SLOT-STATS SLOTSRANGE 0 16383`";

Error wrong(const Source& source, const YamlNode& at, std::string why) {
  return fault_at(source, at.at, text_at(source, at.at), std::move(why), std::string(form));
}

std::optional<Error> take_slot(const Source& source, const YamlNode& node, SlotStats& out) {
  const auto slot = node.is(Kind::scalar) ? parse_count(node.text, last_slot) : std::nullopt;
  if (!slot) return wrong(source, node, "expected a slot, 0 to 16383");
  out.slot = *slot;
  out.at = node.at;
  return std::nullopt;
}

std::optional<Error> take_value(const Source& source, const std::string& name, const YamlNode& node,
                                SlotStats& out) {
  const auto value = node.is(Kind::scalar) ? parse_count(node.text, ~std::uint64_t{0} >> 1) : std::nullopt;
  if (!value) return wrong(source, node, "expected a number");
  out.values[name] = static_cast<double>(*value);
  return std::nullopt;
}

// The plain list of --raw: a number begins a slot where a name could stand.
Result<std::vector<SlotStats>> flat(const Source& source, const YamlNode& root) {
  std::vector<SlotStats> out;
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    const YamlNode& item = root.items[i];
    if (item.is(Kind::null)) continue;
    if (out.empty() || parse_count(item.text, last_slot)) {
      if (auto error = take_slot(source, item, out.emplace_back())) return *error;
      continue;
    }
    if (i + 1 == root.items.size()) return wrong(source, item, "the answer ends here");
    if (auto error = take_value(source, item.text, root.items[++i], out.back())) return *error;
  }
  return out;
}

std::optional<Error> take_values(const Source& source, const YamlNode& list, SlotStats& out) {
  if (list.is(Kind::map)) {
    for (const YamlNode& value : list.items)
      if (auto error = take_value(source, value.key, value, out)) return error;
    return std::nullopt;
  }
  if (!list.is(Kind::sequence) || list.items.size() % 2 != 0)
    return wrong(source, list, "expected names and values");
  for (std::size_t i = 0; i < list.items.size(); i += 2)
    if (auto error = take_value(source, list.items[i].text, list.items[i + 1], out)) return error;
  return std::nullopt;
}

}  // namespace

bool looks_like_slot_stats(std::string_view bytes) {
  // A table may have such columns too: there the first line names more than a slot or a bracket.
  const std::string_view head = bytes.substr(0, 4096);
  const std::string_view title = head.substr(0, head.find('\n'));
  if (title.find("cpu-usec") != std::string_view::npos || title.find("key-count") != std::string_view::npos)
    return title.find('[') != std::string_view::npos;
  return head.find("key-count") != std::string_view::npos || head.find("cpu-usec") != std::string_view::npos;
}

Result<std::vector<SlotStats>> parse_slot_stats(const Source& source) {
  const auto reply = read_redis_reply(source);
  if (!reply) return reply.error();
  if (reply->flat) return flat(source, reply->root);
  if (!reply->root.is(Kind::sequence)) return wrong(source, reply->root, "expected a list of slots");
  std::vector<SlotStats> out;
  for (const YamlNode& item : reply->root.items) {
    if (!item.is(Kind::sequence) || item.items.size() != 2)
      return wrong(source, item, "expected a slot and its statistics");
    if (auto error = take_slot(source, item.items[0], out.emplace_back())) return *error;
    if (auto error = take_values(source, item.items[1], out.back())) return *error;
  }
  return out;
}

}  // namespace arcwise
