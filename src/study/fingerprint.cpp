// Fingerprints: three digests that two parties can compare instead of their maps.
//
// Each is the first 16 hex digits of SHA-256 over lines that end in a newline. Nodes are known by name, so
// neither list order nor cluster name nor epoch enters. What the lines hold beyond the summary in
// arcwise/check.hpp:
//
// - `key-prep none`, `key-prep tag {}` (the two characters) or `key-prep redis-tag`.
// - `replicas N ACROSS`; with per_zone `zone Z N` a zone, sorted, then `across ACROSS` unless that is node.
//   The word `repeat` follows ACROSS where when_short is repeat and owners must differ in more than the node.
// - Token lines `HEX NAME`: every ring entry in ring order, collided ones too; modulo has one a slot.
//   The token digest of a table takes each range's last position and first owner.
// - Tables, in the fingerprint: `slots N` where they are over slots, then `HEX NAME,NAME` a range.
//   Of neighbours with equal owners only the last is written; the last range and the first are neighbours.
//   Were all equal, it is one line with the last position. No name: nobody owns it.
// - Recipes with settings of their own: `setting NAME VALUE` before the tokens, in the recipe's order.
// - Partitions computed from the nodes (Ceph): the lines of a table over slots, then members.
// - Placements without tokens, which choose by the key: `member NAME LABEL WEIGHT BUCKET` a node that owns
//   something, sorted by name unless list order matters; BUCKET may be empty, or several numbers with commas
//   between. Where buckets were removed, `removed NUMBERS` stands before, in the order in which they went.
//   Their token digest is empty.
// - `node NAME HOST RACK ZONE` of the nodes that own something, where the policy looks beyond the node.
//
// In member and node lines and in lists of owners a backslash stands before each space, comma and backslash
// of a name.
#include "study/fingerprint.hpp"

#include <algorithm>

#include "arcwise/check.hpp"
#include "hash/sha256.hpp"
#include "place/methods.hpp"
#include "study/numbers.hpp"

namespace arcwise {
namespace {

class LineDigest {
 public:
  void add(std::string_view line) {
    sha_.update(line);
    sha_.update("\n");
  }
  std::string finish() {
    static constexpr char digits[] = "0123456789abcdef";
    const auto digest = sha_.finish();
    std::string out;
    for (std::size_t i = 0; i < 8; ++i) {
      out += digits[digest[i] >> 4];
      out += digits[digest[i] & 15];
    }
    return out;
  }

 private:
  Sha256 sha_;
};

std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == ' ' || c == ',' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string key_prep_name(const PlacementSettings& placement) {
  if (placement.recipe->key_prep == KeyPrep::redis_tag) return "redis-tag";
  if (placement.recipe->key_prep == KeyPrep::routing_prefix) return "routing-prefix";
  if (placement.recipe->key_prep == KeyPrep::balance) return "balance";
  return placement.hash_tag.empty() ? "none" : "tag " + placement.hash_tag;
}

bool is_table(const ClusterMap& map) {
  return map.placement().recipe->points == PointRule::table;
}

void add_policy(LineDigest& digest, const ReplicaPolicy& policy) {
  std::string across(to_string(policy.across));
  if (policy.when_short == WhenShort::repeat && policy.across != Across::node) across += " repeat";
  if (policy.per_zone.empty()) {
    digest.add("replicas " + std::to_string(policy.count) + " " + across);
    return;
  }
  for (const ZoneCount& zone : policy.per_zone)
    digest.add("zone " + zone.zone + " " + std::to_string(zone.count));
  if (policy.across != Across::node) digest.add("across " + across);
}

void add_entries(LineDigest& digest, const Placement& placement) {
  const ClusterMap& map = placement.map();
  std::string line;
  for (std::size_t i = 0; i < placement.entry_count(); ++i) {
    const Placement::Entry entry = placement.entry(i);
    line.assign(to_hex(map.space(), entry.token)).append(1, ' ');
    if (entry.node != no_node) line += map.nodes()[entry.node].name;
    digest.add(line);
  }
}

void add_table(LineDigest& digest, const ClusterMap& map) {
  const std::vector<TableRow>& table = map.placement().table;
  if (map.placement().slots) digest.add("slots " + std::to_string(map.placement().slots));
  std::vector<std::string> names;
  for (const Node& node : map.nodes()) names.push_back(quoted(node.name));
  const auto add_row = [&](Token upto, const std::vector<NodeIndex>& owners) {
    std::string line = to_hex(map.space(), upto) + " ";
    for (std::size_t i = 0; i < owners.size(); ++i) line += (i ? "," : "") + names[owners[i]];
    digest.add(line);
  };
  bool any = false;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].owners == table[(i + 1) % table.size()].owners) continue;
    add_row(table[i].upto, table[i].owners);
    any = true;
  }
  if (!any) add_row({map.space().last}, table.front().owners);
}

void add_partitions(LineDigest& digest, const Placement& placement) {
  const ClusterMap& map = placement.map();
  std::vector<NodeIndex> owners(placement.max_owners());
  digest.add("slots " + std::to_string(placement.region_count()));
  for (std::size_t i = 0; i < placement.region_count(); ++i) {
    std::string line = to_hex(map.space(), placement.region(i).upto) + " ";
    const std::size_t count = placement.region_owners(i, {}, owners);
    for (std::size_t k = 0; k < count; ++k) line += (k ? "," : "") + quoted(map.nodes()[owners[k]].name);
    digest.add(line);
  }
}

// Nodes sorted by name, so that list order does not show.
std::vector<const Node*> by_name(const ClusterMap& map) {
  std::vector<const Node*> out;
  for (const Node& node : map.nodes()) out.push_back(&node);
  std::sort(out.begin(), out.end(), [](const Node* a, const Node* b) { return a->name < b->name; });
  return out;
}

std::string listed(const std::vector<std::uint32_t>& numbers) {
  std::string out;
  for (std::uint32_t number : numbers) out += (out.empty() ? "" : ",") + std::to_string(number);
  return out;
}

std::string numbers_of(const Node& node) {
  return node.bucket ? std::to_string(*node.bucket) : listed(node.buckets);
}

void add_members(LineDigest& digest, const Placement& placement) {
  std::vector<const Node*> members = by_name(placement.map());
  if (!placement.map().placement().removed.empty())
    digest.add("removed " + listed(placement.map().placement().removed));
  // Buckets are numbered, whichever list they stand in.
  const bool numbered = placement.map().placement().recipe->points == PointRule::buckets;
  if (!numbered && !placement.traits().order_free)
    std::sort(members.begin(), members.end());  // pointers into one list: its order
  for (const Node* node : members)
    if (node->state != NodeState::joining)
      digest.add("member " + quoted(node->name) + " " + quoted(node->label) + " " + shortest(node->weight) +
                 " " + numbers_of(*node));
}

std::string membership_digest(const ClusterMap& map) {
  LineDigest digest;
  digest.add("arcwise-membership/1");
  for (const Node* node : by_name(map))
    digest.add(node->name + "\t" + node->address + "\t" + node->host + "\t" + shortest(node->weight) + "\t" +
               node->rack + "\t" + node->zone + "\t" + std::string(to_string(node->state)));
  return digest.finish();
}

}  // namespace

std::string fingerprint(const Placement& placement) {
  const ClusterMap& map = placement.map();
  const ReplicaPolicy& policy = map.replicas();
  LineDigest digest;
  digest.add("arcwise-function/1");
  digest.add("recipe " + std::string(map.placement().recipe->name));
  digest.add("hash " + std::string(info(map.placement().hash).name));
  digest.add("key-prep " + key_prep_name(map.placement()));
  add_policy(digest, policy);
  for (const SettingInfo& setting : map.placement().recipe->settings)
    digest.add("setting " + std::string(setting.name) + " " +
               std::string(map.placement().text(setting.name)));
  if (is_table(map)) {
    add_table(digest, map);
  } else if (find_method(map.placement().recipe->method)->partitions) {
    add_partitions(digest, placement);
    add_members(digest, placement);
  } else if (placement.entry_count() > 0) {
    add_entries(digest, placement);
  } else {
    add_members(digest, placement);
  }
  if (policy.across == Across::node && policy.per_zone.empty()) return digest.finish();
  for (const Node* node : by_name(map))
    if (node->state != NodeState::joining || is_table(map))
      digest.add("node " + quoted(node->name) + " " + quoted(node->host) + " " + quoted(node->rack) + " " +
                 quoted(node->zone));
  return digest.finish();
}

Fingerprints fingerprints(const Placement& placement) {
  std::string tokens;
  if (placement.entry_count() > 0) {
    LineDigest digest;
    add_entries(digest, placement);
    tokens = digest.finish();
  }
  return {fingerprint(placement), tokens, membership_digest(placement.map()), placement.map().epoch()};
}

}  // namespace arcwise
