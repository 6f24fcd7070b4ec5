#include "cli/diff_cause.hpp"

#include <algorithm>
#include <functional>

#include "cli/cluster_args.hpp"
#include "format/table_numbers.hpp"

namespace arcwise::cli {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < 5; ++i) out += (i ? ", " : "") + names[i];
  if (names.size() > 5) out += " and " + counted(names.size() - 5) + " more";
  return out;
}

std::vector<std::string> only_in(const ClusterMap& a, const ClusterMap& b) {
  std::vector<std::string> names;
  for (const Node& node : a.nodes())
    if (!b.find(node.name)) names.push_back(node.name);
  return names;
}

using Differs = std::function<bool(const Node&, const Node&)>;

std::vector<std::string> common_that(const ClusterMap& a, const ClusterMap& b, const Differs& differs) {
  std::vector<std::string> names;
  for (const Node& node : a.nodes())
    if (const auto other = b.find(node.name); other && differs(node, b.nodes()[*other]))
      names.push_back(node.name);
  return names;
}

bool same_order(const ClusterMap& a, const ClusterMap& b) {
  return std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end(),
                    [](const Node& x, const Node& y) { return x.name == y.name; });
}

void add_settings(const ClusterMap& a, const ClusterMap& b, std::vector<std::string>& out) {
  const PlacementSettings& p = a.placement();
  const PlacementSettings& q = b.placement();
  const auto differ = [&](const char* what, const std::string& x, const std::string& y) {
    if (x != y) out.push_back(std::string(what) + " differs: " + x + " → " + y);
  };
  differ("recipe", std::string(p.recipe->name), std::string(q.recipe->name));
  differ("key hash", std::string(info(p.hash).name), std::string(info(q.hash).name));
  differ("hash tag", p.hash_tag.empty() ? "none" : p.hash_tag, q.hash_tag.empty() ? "none" : q.hash_tag);
  if (p.recipe == q.recipe)
    differ("tokens per unit of weight", std::to_string(p.tokens), std::to_string(q.tokens));
  differ("allocation", p.given ? "given" : "hashed", q.given ? "given" : "hashed");
  differ("replica policy", describe_policy(a.replicas()), describe_policy(b.replicas()));
}

}  // namespace

std::vector<std::string> causes(const ClusterMap& before, const ClusterMap& after) {
  std::vector<std::string> out;
  add_settings(before, after, out);
  const auto name = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) out.push_back(what + listed(names));
  };
  name("only in the first: ", only_in(before, after));
  name("only in the second: ", only_in(after, before));
  name("another weight: ",
       common_that(before, after, [](const Node& x, const Node& y) { return x.weight != y.weight; }));
  name("other tokens: ",
       common_that(before, after, [](const Node& x, const Node& y) { return x.tokens != y.tokens; }));
  name("another hashed label: ",
       common_that(before, after, [](const Node& x, const Node& y) { return x.label != y.label; }));
  name("another host, rack or zone: ", common_that(before, after, [](const Node& x, const Node& y) {
         return x.host != y.host || x.rack != y.rack || x.zone != y.zone;
       }));
  name("joining in one of them: ", common_that(before, after, [](const Node& x, const Node& y) {
         return (x.state == NodeState::joining) != (y.state == NodeState::joining);
       }));
  if (out.empty() && !same_order(before, after)) out.push_back("the nodes are listed in another order");
  return out;
}

}  // namespace arcwise::cli
