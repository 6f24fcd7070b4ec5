#include "study/identify_tries.hpp"

#include <algorithm>
#include <numeric>

#include "model/build.hpp"
#include "place/ip_address.hpp"
#include "place/key_position.hpp"

namespace arcwise {
namespace {

using Words = std::vector<std::string>;
using Kind = SettingInfo::Kind;

// Points for each unit of weight: powers of two, libraries' presets, and round numbers that people write.
constexpr std::uint32_t usual_tokens[] = {256, 160, 128, 100, 64, 40,  16,  1,  4,
                                          8,   10,  20,  32,  50, 150, 200, 512};
// Ceph's pools in small and middling clusters.
constexpr std::uint32_t usual_groups[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr int usual_pools = 12;

struct UsualNumbers {
  std::string_view setting, values;
};
// Primes: Envoy's preset, those below powers of two that Cilium takes, a tiny one of examples.
constexpr UsualNumbers usual_numbers[] = {
    {"table_size", "65537 65521 251 509 1021 2039 4093 8191 16381 32749 131071 4099 1009 10007"},
    {"minimum_ring_size", "1024 128 256 512 2048 4096 8192 16384 100 1000 10000"},
};

bool has_high_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

Words split(std::string_view words) {
  Words out;
  while (!words.empty()) out.emplace_back(next_word(words));
  return out;
}

// "hash_key" by address wants addresses, by guid labels; "balance" reads URIs and clients' addresses.
bool word_can_matter(std::string_view word, const SampleTraits& traits) {
  if (word == "addr" || word == "addr-port") return traits.addresses;
  if (word == "guid") return traits.labels;
  if (word == "uri") return traits.question_mark;
  if (word == "source" || word == "hash-src") return traits.all_addresses;
  if (word == "unsigned") return traits.high_bytes;
  return true;
}

Words choice_words(const SettingInfo& info, const SampleTraits& traits) {
  Words out{std::string(info.preset)};
  for (const std::string& word : split(info.choices))
    if (word != info.preset && word_can_matter(word, traits)) out.push_back(word);
  return out;
}

Words hash_names(const Recipe& recipe) {
  Words out{std::string(info(recipe.hash).name)};
  const auto add = [&](KeyHashId id) {
    if (id != recipe.hash) out.emplace_back(info(id).name);
  };
  if (recipe.hash_open)
    for (const KeyHashInfo& hash : key_hashes())
      if (hash.open) add(hash.id);
  for (const KeyHashId id : recipe.hashes) add(id);
  return out;
}

// The preset first. Free text (a prefix, a salt) is not guessed.
Words usual_values(const Recipe& recipe, const SettingInfo& info, const SampleTraits& traits) {
  for (const UsualNumbers& numbers : usual_numbers)
    if (numbers.setting == info.name && !recipe.hash_open) return split(numbers.values);
  // On a ring a sorted list decides ties alone; another order of the nodes is tried anyway.
  if (info.name == "sort_hosts" && recipe.ring_bits) return {"false"};
  if (info.name == "default_port" && traits.default_port)
    return {std::string(info.preset), info.preset == "0" ? "11211" : "0"};
  switch (info.kind) {
    case Kind::choice:
    case Kind::list:
      return choice_words(info, traits);
    case Kind::flag:
      return {"false", "true"};
    case Kind::key_hash: {
      Words out = hash_names(recipe);
      out.insert(out.begin(), "");
      return out;
    }
    default:
      return {std::string(info.preset)};
  }
}

using Settings = std::vector<PlacementSettings>;

/// Each of `out` with each of the values, the first value for all of them first.
template <class Values, class Set>
void multiply(Settings& out, const Values& values, Set&& set) {
  Settings more;
  for (const auto& value : values)
    for (PlacementSettings settings : out) {
      set(settings, value);
      more.push_back(std::move(settings));
    }
  out = std::move(more);
}

void multiply_setting(Settings& out, const SettingInfo& info, const Words& values) {
  multiply(out, values, [&](PlacementSettings& s, const std::string& value) {
    // A ring built by the hash that the keys have is the preset.
    const bool same = info.kind == Kind::key_hash && value == arcwise::info(s.hash).name;
    if (value != info.preset && !same) s.settings[std::string(info.name)] = value;
  });
}

bool equal(const PlacementSettings& a, const PlacementSettings& b) {
  return a.hash == b.hash && a.tokens == b.tokens && a.given == b.given && a.hash_tag == b.hash_tag &&
         a.slots == b.slots && a.settings == b.settings;
}

void drop_repeats(Settings& all) {
  Settings out;
  for (PlacementSettings& s : all)
    if (std::none_of(out.begin(), out.end(), [&](const PlacementSettings& o) { return equal(o, s); }))
      out.push_back(std::move(s));
  all = std::move(out);
}

bool lists_equal_parts(const ClusterMap::Parts& known) {
  const std::vector<TableRow>& table = known.placement.table;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].upto != part_end(known.space, table.size(), i)) return false;
  return known.placement.slots == 0;
}

// What the map has that the row needs: tokens, ranges, a number of slots. Empty: nothing is missing.
std::string take_state(const Recipe& recipe, const ClusterMap::Parts& known, Settings& out) {
  PlacementSettings& settings = out.front();
  const bool has_tokens =
      std::any_of(known.nodes.begin(), known.nodes.end(), [](const Node& n) { return !n.tokens.empty(); });
  if (recipe.points == PointRule::given) {
    if (!has_tokens) return "it places nodes by stored tokens: name a map or nodetool output that has them";
    settings.given = true;
  }
  if (recipe.points == PointRule::table) {
    if (known.placement.table.empty())
      return "its owners are stored range by range: name a map or a dump that lists them";
    if (has_equal_parts(recipe) && !lists_equal_parts(known))
      return "its partitions are equal parts of hash space, which the ranges that the map lists are not";
    settings.table = known.placement.table;
    settings.slots = known.placement.slots;
    const bool slots = recipe.slots == SlotCount::listed || recipe.key_prep == KeyPrep::redis_tag;
    if (slots ? settings.slots == 0 : settings.slots != 0 && recipe.name != "ranges")
      return "its positions are not those of the ranges that the map lists";
  } else if (recipe.slots == SlotCount::listed) {
    const bool osds = std::all_of(known.nodes.begin(), known.nodes.end(),
                                  [](const Node& n) { return n.bucket || n.name.starts_with("osd."); });
    if (!known.placement.slots && !osds) return "its nodes are numbered: name them osd.N, or name a map";
    if (known.placement.slots)
      settings.slots = known.placement.slots;
    else
      multiply(out, usual_groups, [](PlacementSettings& s, std::uint32_t groups) { s.slots = groups; });
  }
  return {};
}

void multiply_tokens(const Recipe& recipe, const ClusterMap::Parts& known,
                     std::span<const std::uint32_t> more, Settings& out) {
  if (recipe.default_tokens == 0) return;
  std::vector<std::uint32_t> tokens{recipe.default_tokens};
  if (known.placement.tokens) tokens.push_back(known.placement.tokens);
  // Arcwise's own placements but the ring need few; a map says where they are others.
  const bool ring = recipe.points == PointRule::hashed_name || !recipe.hash_open;
  tokens.insert(tokens.end(), more.begin(), more.end());
  if (ring) tokens.insert(tokens.end(), std::begin(usual_tokens), std::end(usual_tokens));
  multiply(out, tokens, [](PlacementSettings& s, std::uint32_t count) { s.tokens = count; });
}

// The map's own row: what the map says is tried too, whatever else is usual.
void add_own(const Recipe& recipe, const ClusterMap::Parts& known, Settings& out) {
  if (known.placement.recipe != &recipe) return;
  out.insert(out.begin(), known.placement);
  for (std::size_t i = out.size(); i-- > 1;) {
    // Free texts and numbers of the map, beside the usual values of the others.
    for (const SettingInfo& info : recipe.settings) {
      const auto own = known.placement.settings.find(info.name);
      const bool guessed = out[i].settings.contains(info.name);
      if (own != known.placement.settings.end() && !guessed) out[i].settings[own->first] = own->second;
    }
  }
}

}  // namespace

SampleTraits traits_of(const ClusterMap::Parts& known, std::span<const ObservedKey> samples) {
  SampleTraits out;
  for (const ObservedKey& sample : samples) {
    out.high_bytes |= has_high_byte(sample.key);
    out.braces |= tagged_part(sample.key, '{', '}').size() != sample.key.size();
    out.question_mark |= sample.key.find('?') != std::string::npos;
    out.all_addresses = out.all_addresses && ip_address(sample.key);
  }
  for (const Node& node : known.nodes) {
    out.high_bytes |= has_high_byte(node.name);
    out.labels |= !node.label.empty() && node.label != node.name;
    out.addresses |= ip_endpoint(node.address.empty() ? node.name : node.address).has_value();
    out.default_port |= node.name.ends_with(":11211");
  }
  return out;
}

Tries tries_of(const Recipe& recipe, const ClusterMap::Parts& known, const SampleTraits& traits,
               std::span<const std::uint32_t> tokens) {
  Tries out;
  if (!recipe.no_placement.empty()) return {{}, std::string(recipe.no_placement)};
  PlacementSettings first;
  first.recipe = &recipe;
  first.hash = recipe.hash;
  if (recipe.keeps_removals) first.removed = known.placement.removed;
  out.settings.push_back(std::move(first));
  out.none = take_state(recipe, known, out.settings);
  if (!out.none.empty()) return {{}, std::move(out.none)};
  multiply(out.settings, hash_names(recipe), [](PlacementSettings& s, const std::string& name) {
    s.hash = find_key_hash(name).value_or(s.hash);
  });
  multiply_tokens(recipe, known, tokens, out.settings);
  if (recipe.key_prep == KeyPrep::tag_pair && traits.braces)
    multiply(out.settings, Words{"", "{}"},
             [](PlacementSettings& s, const std::string& tag) { s.hash_tag = tag; });
  for (const SettingInfo& info : recipe.settings) {
    Words values = usual_values(recipe, info, traits);
    if (info.name == "pool")
      for (int pool = 0; pool <= usual_pools; ++pool) values.push_back(std::to_string(pool));
    multiply_setting(out.settings, info, values);
  }
  const bool tokens_known = known.placement.given && known.placement.recipe && recipe.given_allowed;
  if (tokens_known && recipe.points != PointRule::given) {
    PlacementSettings given;
    given.recipe = &recipe;
    given.given = true;
    for (const std::string& name : hash_names(recipe)) {
      given.hash = find_key_hash(name).value_or(recipe.hash);
      out.settings.push_back(given);
    }
  }
  add_own(recipe, known, out.settings);
  drop_repeats(out.settings);
  return out;
}

std::vector<NodeIndex> name_order(const std::vector<Node>& nodes) {
  std::vector<NodeIndex> order(nodes.size());
  std::iota(order.begin(), order.end(), NodeIndex{0});
  std::sort(order.begin(), order.end(),
            [&](NodeIndex a, NodeIndex b) { return nodes[a].name < nodes[b].name; });
  return order;
}

Result<ClusterMap> map_for(const Candidate& candidate, const ClusterMap::Parts& known) {
  ClusterMap::Parts parts;
  parts.placement = candidate.placement;
  parts.replicas = known.replicas;
  parts.nodes = known.nodes;
  if (candidate.sorted) {
    const std::vector<NodeIndex> order = name_order(known.nodes);
    for (std::size_t i = 0; i < order.size(); ++i) parts.nodes[i] = known.nodes[order[i]];
  }
  for (Node& node : parts.nodes) {
    if (known.placement.recipe && node.label == label_of(known.placement, node)) node.label.clear();
    if (!candidate.placement.given) node.tokens.clear();
    if (candidate.placement.recipe->points != PointRule::buckets) node.buckets.clear();
    if (!numbers_nodes(*candidate.placement.recipe)) node.bucket.reset();
  }
  return ClusterMap::build(std::move(parts));
}

KeysLike::KeysLike(std::span<const ObservedKey> samples, bool addresses, std::uint64_t seed)
    : samples_(samples), addresses_(addresses), rng_(seed) {}

std::string KeysLike::next() {
  if (addresses_) {
    std::string out;
    for (int i = 0; i < 4; ++i) out += (i ? "." : "") + std::to_string(rng_.below(256));
    return out;
  }
  std::string out = samples_[rng_.below(samples_.size())].key;
  for (char& c : out) {
    const auto draw = [&](char first, std::uint64_t count) {
      c = static_cast<char>(first + static_cast<char>(rng_.below(count)));
    };
    if (c >= '0' && c <= '9')
      draw('0', 10);
    else if (c >= 'a' && c <= 'f')
      draw('a', 6);
    else if (c >= 'g' && c <= 'z')
      draw('g', 20);
    else if (c >= 'A' && c <= 'F')
      draw('A', 6);
    else if (c >= 'G' && c <= 'Z')
      draw('G', 20);
  }
  return out;
}

}  // namespace arcwise
