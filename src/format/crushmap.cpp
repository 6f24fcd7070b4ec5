#include "format/crushmap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "format/columns.hpp"
#include "format/crushmap_text.hpp"
#include "format/recognise.hpp"

namespace arcwise {
namespace {

using Fault = std::optional<Error>;

constexpr std::string_view as_map = "write the groups of `ceph pg dump` as a map of the recipe ceph-pgs";
constexpr std::uint32_t usual_size = 3;  // osd_pool_default_size

Error refuse(const Mark& at, std::string what, std::string why, std::string_view advice = as_map) {
  return {ErrorKind::input, at, std::move(what), std::move(why), std::string(advice)};
}

struct Tunable {
  std::string_view name;
  std::uint64_t value, legacy;  ///< legacy: what no line means
};
constexpr std::array tunables{
    Tunable{"choose_local_tries", 0, 2},   Tunable{"choose_local_fallback_tries", 0, 5},
    Tunable{"choose_total_tries", 50, 19}, Tunable{"chooseleaf_descend_once", 1, 0},
    Tunable{"chooseleaf_vary_r", 1, 0},    Tunable{"chooseleaf_stable", 1, 0}};

Fault check_tunables(const CrushText& text, const std::string& file) {
  for (const Tunable& tunable : tunables) {
    const auto at = text.tunables.find(tunable.name);
    const std::uint64_t has = at == text.tunables.end() ? tunable.legacy : at->second;
    if (has != tunable.value)
      return refuse(
          {file, 0, 0}, std::string(tunable.name) + " " + std::to_string(has),
          "a tunable of before jewel; the recipe has " + std::to_string(tunable.value),
          "`ceph osd crush tunables jewel` moves data; or write the groups as a map of the recipe ceph-pgs");
  }
  return std::nullopt;
}

// take B [class C]; chooseleaf firstn N type T; emit
struct Take {
  Mark at;
  std::string bucket, device_class, type;
  std::uint32_t count = 0;  ///< 0: the pool's size
};

Fault read_choice(const CrushText::Step& step, Take& take) {
  const auto& w = step.words;
  if (w.size() != 5 || w[3] != "type") return refuse(step.at, w[0], "expected chooseleaf firstn N type T");
  if (w[1] != "firstn")
    return refuse(step.at, w[1], "only firstn is read; indep is the rule of erasure coded pools");
  const auto count = parse_count(w[2], max_replicas);
  if (!count) return refuse(step.at, w[2], "expected how many to choose, 0 for the pool's size");
  take.count = static_cast<std::uint32_t>(*count);
  take.type = w[4];
  return std::nullopt;
}

Result<std::vector<Take>> read_steps(const CrushText& text, const CrushText::Rule& rule) {
  if (rule.type != "replicated" && rule.type != "1")
    return refuse(rule.at, rule.name, "a rule of type " + rule.type + "; replicated ones are read");
  std::vector<Take> out;
  std::size_t stage = 0;
  for (const CrushText::Step& step : rule.steps) {
    const auto& w = step.words;
    const bool leaf = w[0] == "chooseleaf", plain = w[0] == "choose" && w.size() == 5 &&
                                                    text.types.contains(w[4]) && text.types.at(w[4]) == 0;
    if (w[0] == "take" && stage == 0 && (w.size() == 2 || (w.size() == 4 && w[2] == "class"))) {
      out.push_back({step.at, w[1], w.size() == 4 ? w[3] : "", "", 0});
    } else if ((leaf || plain) && stage == 1) {
      if (auto fault = read_choice(step, out.back())) return *fault;
    } else if (w[0] != "emit" || stage != 2) {
      return refuse(step.at, w[0], "a step that is not read: take, chooseleaf and emit are, in this order");
    }
    stage = (stage + 1) % 3;
  }
  if (out.empty() || stage != 0) return refuse(rule.at, rule.name, "the rule ends before it emits");
  return out;
}

// The tree below a take, depth first, as nodes with their levels' names.
class Tree {
 public:
  Tree(const CrushText& text, const Take& take) : text_(text), take_(take) {}

  Fault walk() {
    const auto root = text_.buckets.find(take_.bucket);
    if (root == text_.buckets.end()) return refuse(take_.at, take_.bucket, "no such bucket is listed");
    return below(root->second);
  }

  std::vector<Node> nodes;
  std::vector<std::string> types;                         ///< of the levels between take and devices
  std::vector<std::vector<std::string>> paths;            ///< their buckets, one list a node
  std::vector<std::pair<std::string, std::int32_t>> ids;  ///< of those buckets

 private:
  Fault below(const CrushText::Bucket& bucket) {
    if (path_.size() > 3)
      return refuse(bucket.at, bucket.name, "more than three levels between the take and the devices");
    for (const CrushText::Item& item : bucket.items) {
      if (const auto device = text_.devices.find(item.name); device != text_.devices.end()) {
        if (auto fault = add(item, device->second)) return fault;
        continue;
      }
      const auto child = text_.buckets.find(item.name);
      if (child == text_.buckets.end())
        return refuse(item.at, item.name, "no such bucket or device is listed");
      if (std::find(path_.begin(), path_.end(), &child->second) != path_.end() || &child->second == &bucket)
        return refuse(item.at, item.name, "a bucket within itself");
      if (auto fault = enter(item, child->second)) return fault;
    }
    return std::nullopt;
  }

  Fault enter(const CrushText::Item& item, const CrushText::Bucket& child) {
    if (!entered_.insert(&child).second)
      return refuse(item.at, item.name, "a bucket that stands in two places");
    const std::size_t before = nodes.size();
    path_.push_back(&child);
    if (auto fault = below(child)) return fault;
    path_.pop_back();
    std::int32_t id = child.id;
    if (!take_.device_class.empty()) {
      const auto shadow = child.class_ids.find(take_.device_class);
      if (shadow == child.class_ids.end()) {
        if (nodes.size() > before)
          return refuse(child.at, child.name, "the bucket has no id for the class " + take_.device_class);
        return std::nullopt;
      }
      id = shadow->second;
    } else if (auto fault = check_weight(item, before)) {
      return fault;
    }
    ids.emplace_back(child.name, id);
    return std::nullopt;
  }

  // A bucket's weight is the sum of its devices'; both are printed rounded to three places.
  Fault check_weight(const CrushText::Item& item, std::size_t before) const {
    double sum = 0;
    for (std::size_t n = before; n < nodes.size(); ++n) sum += nodes[n].weight;
    if (std::abs(sum - item.weight) <= 0.001 * static_cast<double>(nodes.size() - before + 1))
      return std::nullopt;
    return refuse(item.at, item.name, "the weight of this bucket is not the sum of its devices'",
                  "`ceph osd crush reweight-all` makes it so, and moves data");
  }

  Fault add(const CrushText::Item& item, const CrushText::Device& device) {
    if (!take_.device_class.empty() && device.device_class != take_.device_class) return std::nullopt;
    if (path_.empty())
      return refuse(item.at, item.name,
                    "a device directly below the take: the recipe needs a level of hosts");
    std::vector<std::string> here, names;
    for (const CrushText::Bucket* bucket : path_) {
      here.push_back(bucket->type);
      names.push_back(bucket->name);
    }
    if (nodes.empty()) types = here;
    if (here != types)
      return refuse(item.at, item.name, "a device below other types of buckets than the first one");
    Node node;
    node.name = item.name;
    node.bucket = device.id;
    node.weight = item.weight;
    nodes.push_back(std::move(node));
    paths.push_back(std::move(names));
    return std::nullopt;
  }

  const CrushText& text_;
  const Take& take_;
  std::vector<const CrushText::Bucket*> path_;
  std::set<const CrushText::Bucket*> entered_;
};

constexpr std::array<std::string Node::*, 3> levels{&Node::host, &Node::rack, &Node::zone};

// The levels' names from the lowest up: host, rack, zone; with several takes the take itself is the zone.
Fault place(const Take& take, bool several, Tree& tree, ClusterMap::Parts& parts, std::string& ids) {
  if (several && tree.types.size() > 2)
    return refuse(take.at, take.bucket, "more than two levels below each of several takes");
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    Node& node = tree.nodes[n];
    const auto& path = tree.paths[n];
    for (std::size_t up = 0; up < path.size(); ++up) node.*levels[up] = path[path.size() - 1 - up];
    if (several) node.zone = take.bucket;
    parts.nodes.push_back(std::move(node));
  }
  for (const auto& [name, id] : tree.ids) {
    if (name.find_first_of(" =") != std::string::npos)
      return refuse(take.at, name, "a bucket name with a blank or `=`");
    ids += (ids.empty() ? "" : " ") + name + "=" + std::to_string(id);
  }
  return std::nullopt;
}

Result<Across> across_of(const CrushText& text, const Take& take, const Tree& tree) {
  const auto type = text.types.find(take.type);
  if (type != text.types.end() && type->second == 0) return Across::node;
  const std::size_t depth = tree.types.size();
  for (std::size_t up = 0; up < depth; ++up)
    if (tree.types[depth - 1 - up] == take.type)
      return std::array{Across::host, Across::rack, Across::zone}[up];
  return refuse(take.at, take.type, "the rule chooses a type that is not a level below its take");
}

std::uint32_t distinct(const std::vector<Node>& nodes, Across across) {
  if (across == Across::node) return static_cast<std::uint32_t>(nodes.size());
  std::set<std::string> names;
  for (const Node& node : nodes)
    names.insert(node.*levels[across == Across::host ? 0 : across == Across::rack ? 1 : 2]);
  return static_cast<std::uint32_t>(names.size());
}

Result<const CrushText::Rule*> choose_rule(const CrushText& text, const Inputs& inputs) {
  std::string names;
  for (const CrushText::Rule& rule : text.rules) names += (names.empty() ? "" : ", ") + rule.name;
  const std::string& wanted = inputs.options.pool;
  if (wanted.empty() && text.rules.size() == 1) return &text.rules.front();
  for (const CrushText::Rule& rule : text.rules)
    if (rule.name == wanted) return &rule;
  if (wanted.empty())
    return refuse(text.rules[1].at, text.rules[1].name, "the file has several rules",
                  "choose one with --pool: " + names);
  return refuse({inputs.sources.front().name, 0, 0}, wanted, "no rule of this name",
                "the file has: " + names);
}

// Ceph's rule of thumb: about 100 copies of groups a device, rounded up to a power of two.
std::uint64_t likely_groups(std::size_t devices, std::uint32_t copies) {
  std::uint64_t out = 8;
  while (out * copies < 100 * devices && out < 65536) out *= 2;
  return out;
}

Fault read_policy(const CrushText& text, const std::vector<Take>& takes, const std::vector<Tree>& trees,
                  const LoadOptions& options, ClusterMap::Parts& parts) {
  const auto across = across_of(text, takes[0], trees[0]);
  if (!across) return across.error();
  parts.replicas.across = options.across.value_or(*across);
  if (takes.size() == 1) {
    const std::uint32_t size = std::min(usual_size, distinct(parts.nodes, parts.replicas.across));
    parts.replicas.count = options.replicas.value_or(takes[0].count ? takes[0].count : size);
    return std::nullopt;
  }
  parts.replicas.count = 0;
  for (std::size_t i = 0; i < takes.size(); ++i) {
    if (takes[i].count == 0)
      return refuse(takes[i].at, "0", "one of several takes that chooses the pool's whole size");
    if (takes[i].type != takes[0].type || trees[i].types != trees[0].types)
      return refuse(takes[i].at, takes[i].bucket, "takes that differ in their type or their levels");
    if (i && takes[i].bucket <= takes[i - 1].bucket)
      return refuse(takes[i].at, takes[i].bucket, "takes that are not in the order of their buckets' names");
    parts.replicas.per_zone.push_back({takes[i].bucket, takes[i].count});
    parts.replicas.count += takes[i].count;
  }
  return std::nullopt;
}

}  // namespace

bool is_crushmap_line(std::string_view line) {
  return line == "# begin crush map" || line.starts_with("tunable choose_local_tries ");
}

Result<Cluster> import_crushmap(const Inputs& inputs) {
  const Source& source = inputs.sources.front();
  const auto text = read_crushmap(source);
  if (!text) return text.error();
  if (auto fault = check_tunables(*text, source.name)) return *fault;
  const auto rule = choose_rule(*text, inputs);
  if (!rule) return rule.error();
  const auto takes = read_steps(*text, **rule);
  if (!takes) return takes.error();
  ClusterMap::Parts parts;
  std::vector<Tree> trees;
  std::string ids;
  for (const Take& take : *takes) {
    Tree& tree = trees.emplace_back(*text, take);
    if (auto fault = tree.walk()) return *fault;
    if (tree.nodes.empty())
      return refuse(take.at, take.bucket, "no device below this take", "choose another rule with --pool");
    if (auto fault = place(take, takes->size() > 1, tree, parts, ids)) return *fault;
  }
  if (auto fault = read_policy(*text, *takes, trees, inputs.options, parts)) return *fault;
  parts.cluster = (*rule)->name;
  parts.placement.recipe = find_recipe("ceph");
  parts.placement.hash = parts.placement.recipe->hash;
  parts.placement.slots = likely_groups(parts.nodes.size(), parts.replicas.count);
  if (!ids.empty()) parts.placement.settings["bucket_ids"] = ids;
  Observed observed;
  observed.format = "crushmap";
  observed.findings.push_back(
      {Finding::Severity::warning, "pool-unknown", (*rule)->name,
       "a CRUSH map does not say the pool: taken are number 1, pg_num " +
           std::to_string(parts.placement.slots) + ", size " + std::to_string(parts.replicas.count) +
           ", and no device reweighted",
       "`arcwise import` writes the map: set its slots, settings (pool, pgp_num, reweight) and replicas"});
  auto map = ClusterMap::build(std::move(parts), (*rule)->at);
  if (!map) return map.error();
  observed.down = NodeSet(map->nodes().size());
  return Cluster{std::move(*map), std::move(observed)};
}

}  // namespace arcwise
