// Rules about ranges and their owners.
#include <algorithm>
#include <functional>
#include <set>

#include "model/build.hpp"
#include "study/lint.hpp"
#include "study/lint_text.hpp"

namespace arcwise {
namespace {

using Owners = std::span<const NodeIndex>;

// Listed owners are taken as they stand: the map's policy would pass over two of one rack, which is just what
// a check is to find.
template <class Visit>
void for_each_range(const LintContext& c, Visit&& visit) {
  std::vector<NodeIndex> owners(c.placement.max_owners());
  for (std::size_t i = 0; i < c.placement.region_count(); ++i) {
    if (c.lists_owners())
      visit(i, Owners(c.map.placement().table[i].owners));
    else
      visit(i, Owners(owners.data(), c.placement.region_owners(i, {}, owners)));
  }
}

std::size_t alive(const LintContext& c, Owners owners) {
  return static_cast<std::size_t>(
      std::count_if(owners.begin(), owners.end(), [&](NodeIndex n) { return !c.observed.down.contains(n); }));
}

// "r1 (n1, n3), r2 (n2)", in owner order.
std::string places(const LintContext& c, Owners owners) {
  std::string text;
  std::set<std::string> shown;
  for (NodeIndex first : owners) {
    const std::string group = group_name(c.map.nodes()[first], c.level);
    if (!shown.insert(group).second) continue;
    if (!text.empty()) text += ", ";
    text += place_text(c.map.nodes()[first], c.level);
    if (c.level == Across::node) continue;
    std::string members;
    for (NodeIndex n : owners)
      if (group_name(c.map.nodes()[n], c.level) == group)
        members += (members.empty() ? "" : ", ") + c.map.nodes()[n].name;
    text += " (" + members + ')';
  }
  return text;
}

// What a range lacks, or empty.
std::string shortfall(const LintContext& c, const Demand& demand, Owners owners) {
  std::vector<NodeIndex> counted_owners;
  std::set<std::string> groups;
  for (NodeIndex n : owners) {
    if (demand.zone && c.map.nodes()[n].zone != *demand.zone) continue;
    counted_owners.push_back(n);
    groups.insert(group_name(c.map.nodes()[n], c.level));
  }
  const bool copies_short = counted_owners.size() < demand.copies;
  if (!copies_short && groups.size() >= demand.groups) return {};
  const std::string within = demand.zone ? " in zone " + *demand.zone : "";
  const std::string_view noun = copies_short ? "node" : to_string(c.level);
  return "is on " + counted(copies_short ? counted_owners.size() : groups.size(), noun) + within + ", not " +
         std::to_string(copies_short ? demand.copies : demand.groups) +
         (counted_owners.empty() ? "" : ": " + places(c, counted_owners));
}

}  // namespace

void RangeFindings::add(std::size_t region, const std::function<std::string()>& what,
                        std::string_view advice) {
  const Region range = context_.placement.region(region);
  const Share share = share_of(context_.map.domain(), range);
  total_ += share;
  if (++count_ > most_listed) return;
  const std::string text = range_text(context_.map, range);
  out_.push_back({{},
                  {},
                  text,
                  "range " + text + ", " + percent_text(share) + " of hash space, " + what(),
                  std::string(advice)});
}

void RangeFindings::sum_up(std::string_view what) {
  if (count_ < 2) return;
  std::string message =
      counted(count_, "range") + ", " + percent_text(total_) + " of hash space, " + std::string(what);
  if (count_ > most_listed) message += "; the first " + std::to_string(most_listed) + " are listed";
  out_.push_back({{}, {}, "all ranges", std::move(message), {}});
}

void lint_replicas_short(const LintContext& c, Findings& out) {
  if (c.first_owner_serves() && !c.options.replicas && !c.options.across) return;  // nobody asked for a count
  RangeFindings findings(c, out);
  for_each_range(c, [&](std::size_t i, Owners owners) {
    if (owners.empty()) return;
    for (const Demand& demand : c.demands) {
      const std::string lacks = shortfall(c, demand, owners);
      if (lacks.empty()) continue;
      findings.add(i, [&] { return lacks; }, "place another copy where none is yet, then repair the range");
      return;
    }
  });
  findings.sum_up("have fewer copies than asked for, or copies that share a " +
                  std::string(to_string(c.level)));
}

void lint_replicas_uneven(const LintContext& c, Findings& out) {
  if (!c.first_owner_serves() || c.options.replicas) return;
  RangeFindings findings(c, out);
  for_each_range(c, [&](std::size_t i, Owners owners) {
    if (owners.empty() || owners.size() >= c.count) return;
    findings.add(
        i,
        [&] {
          return "has a master and " + counted(owners.size() - 1, "replica") + ", others up to " +
                 std::to_string(c.count - 1) + ": master " + c.map.nodes()[owners.front()].name;
        },
        "give this master another replica, or say how many are wanted with --replicas");
  });
  findings.sum_up("have fewer replicas than others");
}

namespace {

void unowned(const LintContext& c, Findings& out, std::string_view advice) {
  RangeFindings findings(c, out);
  for_each_range(c, [&](std::size_t i, Owners owners) {
    if (owners.empty()) findings.add(i, [] { return "has no owner"; }, advice);
  });
  findings.sum_up("have no owner");
}

}  // namespace

void lint_range_unowned(const LintContext& c, Findings& out) {
  if (!c.map.placement().slots) unowned(c, out, "give it owners: its keys are nowhere");
}

void lint_slots_unowned(const LintContext& c, Findings& out) {
  if (c.map.placement().slots) unowned(c, out, "assign the slots to a master: their keys are refused");
}

void lint_range_down(const LintContext& c, Findings& out) {
  if (c.observed.down.empty()) return;
  RangeFindings findings(c, out);
  for_each_range(c, [&](std::size_t i, Owners owners) {
    if (owners.empty() || alive(c, owners)) return;
    findings.add(
        i, [&] { return "has no live owner: " + names_text(c.map, owners) + " down"; },
        "bring one of them back; replacing them loses these keys");
  });
  findings.sum_up("have no live owner");
}

void lint_master_down(const LintContext& c, Findings& out) {
  if (c.observed.down.empty() || !c.first_owner_serves()) return;
  RangeFindings findings(c, out);
  for_each_range(c, [&](std::size_t i, Owners owners) {
    if (owners.empty() || !c.observed.down.contains(owners.front()) || !alive(c, owners)) return;
    findings.add(
        i,
        [&] {
          return "is not served: its master " + c.map.nodes()[owners.front()].name + " is down, with " +
                 counted(alive(c, owners), "live replica");
        },
        "wait for a replica to be promoted, or force it with CLUSTER FAILOVER FORCE on a replica");
  });
  findings.sum_up("have a master that is down");
}

void lint_quorum_down(const LintContext& c, Findings& out) {
  if (c.observed.down.empty() || c.first_owner_serves()) return;
  RangeFindings findings(c, out);
  for_each_range(c, [&](std::size_t i, Owners owners) {
    const std::size_t up = alive(c, owners), majority = owners.size() / 2 + 1;
    if (up == 0 || up >= majority) return;
    findings.add(
        i,
        [&] {
          return "has " + std::to_string(up) + " of " + counted(owners.size(), "owner") +
                 " up, a majority is " + std::to_string(majority) + ": " + names_text(c.map, owners);
        },
        "quorum reads and writes of these keys fail until an owner is back");
  });
  findings.sum_up("have fewer than a majority of their owners up");
}

void lint_host_shared(const LintContext& c, Findings& out) {
  if (c.level != Across::node || c.count < 2) return;
  Share shared;
  std::set<std::string> hosts;
  for_each_range(c, [&](std::size_t i, Owners owners) {
    bool found = false;
    for (std::size_t a = 0; a < owners.size(); ++a)
      for (std::size_t b = a + 1; b < owners.size(); ++b) {
        const std::string& host = c.map.nodes()[owners[a]].host;
        if (host != c.map.nodes()[owners[b]].host) continue;
        hosts.insert(host);
        found = true;
      }
    if (found) shared += share_of(c.map.domain(), c.placement.region(i));
  });
  if (hosts.empty()) return;
  out.push_back({{},
                 {},
                 *hosts.begin(),
                 percent_text(shared) + " of hash space has two copies on one machine; " +
                     counted(hosts.size(), "machine") + " such as " + *hosts.begin(),
                 "place copies on different machines (`across: host`): then one failure costs one copy"});
}

}  // namespace arcwise
