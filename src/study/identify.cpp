// identify(): tries, what they score, which of them the samples allow, and what would tell those apart.
#include "arcwise/identify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "arcwise/placement.hpp"
#include "place/methods.hpp"
#include "study/binomial.hpp"
#include "study/identify_tries.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_used = 20'000;     ///< samples; more decide nothing that these leave open
constexpr std::size_t held_out_part = 5;      ///< one of so many is held out
constexpr std::size_t most_further = 20'000;  ///< keys in search of one that tells two rows apart
constexpr std::size_t most_telling = 5;
constexpr std::size_t most_wrong = 5;
constexpr double chance_level = 0.01;    ///< of one unrelated try or more agreeing so well
constexpr double wrong_level = 0.001;    ///< of so many wrong samples at the tolerated share
constexpr double ruled_out_odds = 1000;  ///< against a row that explains the samples worse than the best
constexpr double near_agreement = 0.2;   ///< of the way from chance to full agreement

/// A compiled try; its owners are places in the list of known nodes.
class Trial {
 public:
  Trial(const ClusterMap& map, std::vector<NodeIndex> listed)
      : placement_(compile(map)), listed_(std::move(listed)) {}
  NodeIndex owner(std::string_view key) const {
    std::array<NodeIndex, max_replicas> out;
    if (placement_.owners({key, placement_.hash(key), {}}, out) == 0) return no_node;
    return listed_.empty() ? out[0] : listed_[out[0]];
  }
  bool reads(std::string_view key) const { return placement_.reads(key); }

 private:
  Placement placement_;
  std::vector<NodeIndex> listed_;  ///< of the map's own order; empty: the same
};

struct Scored {
  Match match;
  std::size_t row = 0;
  std::size_t tried = 0;           ///< how many scored before it
  std::vector<NodeIndex> answers;  ///< to every sample in use
  std::size_t mismatches() const { return match.mismatches + match.held_out_mismatches; }
};

/// The samples in use: an order from the seed, those that choose first, then those held out.
struct Samples {
  std::span<const ObservedKey> all;
  std::vector<std::size_t> used;
  std::size_t choosing = 0;
  const ObservedKey& at(std::size_t i) const { return all[used[i]]; }
};

Samples draw_samples(std::span<const ObservedKey> all, std::uint64_t seed) {
  Samples out;
  out.all = all;
  std::set<std::pair<std::string_view, NodeIndex>> seen;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (seen.emplace(all[i].key, all[i].node).second) out.used.push_back(i);
  Rng rng(seed);
  for (std::size_t i = out.used.size(); i > 1; --i) std::swap(out.used[i - 1], out.used[rng.below(i)]);
  if (out.used.size() > most_used) out.used.resize(most_used);
  out.choosing = out.used.size() - out.used.size() / held_out_part;
  return out;
}

/// What an unrelated placement agrees on: it gives a node the share of keys that its weight entitles it to.
double chance_of(const ClusterMap::Parts& known, const Samples& samples) {
  double total = 0, chance = 0;
  for (const Node& node : known.nodes) total += node.weight;
  for (std::size_t i = 0; i < samples.used.size(); ++i) {
    const double weight = known.nodes[samples.at(i).node].weight;
    chance += total > 0 ? weight / total : 0;
  }
  const double mean = samples.used.empty() ? 1 : chance / static_cast<double>(samples.used.size());
  return std::clamp(mean, 1e-6, 1 - 1e-6);
}

class Identifier {
 public:
  Identifier(const ClusterMap::Parts& known, std::span<const ObservedKey> samples,
             const IdentifyOptions& options)
      : known_(known),
        options_(options),
        samples_(draw_samples(samples, options.seed)),
        traits_(traits_of(known, samples)) {}

  IdentifyReport run();

 private:
  void list_tries();
  std::optional<Trial> trial_of(const Candidate& how, std::string& refused) const;
  /// false: hopeless, or refused with the reason.
  bool score(std::size_t row, const Candidate& how, std::string& refused);
  void score_row(std::size_t row);
  bool hopeless(std::size_t matches, std::size_t asked) const;
  void choose();
  bool accepted(const Scored& scored) const;
  bool near(const Scored& scored) const;
  void note_near_miss(const Scored& scored);
  void tell_apart();
  void drop_twins();
  void list_wrong(const Scored& best);
  void look_at_samples();

  const ClusterMap::Parts& known_;
  const IdentifyOptions& options_;
  Samples samples_;
  SampleTraits traits_;
  std::vector<std::vector<Candidate>> tries_;  ///< by row
  std::vector<Scored> scored_;
  std::size_t significant_ = 0;  ///< least number of matches that is not chance
  std::size_t most_mismatches_ = 0, most_held_out_ = 0;
  IdentifyReport report_;
};

void Identifier::list_tries() {
  const std::vector<NodeIndex> order = name_order(known_.nodes);
  const bool in_order = std::is_sorted(order.begin(), order.end());
  for (const Recipe& recipe : recipes()) {
    Tries tries = tries_of(recipe, known_, traits_, options_.tokens);
    std::vector<Candidate>& row = tries_.emplace_back();
    if (!tries.none.empty()) report_.left_out.push_back({recipe.name, std::move(tries.none)});
    const bool order_free = find_method(recipe.method)->traits.order_free;
    for (PlacementSettings& settings : tries.settings) {
      row.push_back({settings, false});
      if (!in_order && !order_free) row.push_back({std::move(settings), true});
    }
    report_.tried += row.size();
  }
}

std::optional<Trial> Identifier::trial_of(const Candidate& how, std::string& refused) const {
  const auto map = map_for(how, known_);
  if (!map) {
    refused = map.error().why + (map.error().advice.empty() ? "" : ": " + map.error().advice);
    return std::nullopt;
  }
  Trial trial(*map, how.sorted ? name_order(known_.nodes) : std::vector<NodeIndex>());
  for (std::size_t i = 0; i < samples_.used.size(); ++i)
    if (!trial.reads(samples_.at(i).key)) {
      refused = "the keys are not of its form";
      return std::nullopt;
    }
  return trial;
}

// Four standard deviations below what a near miss would have by now.
bool Identifier::hopeless(std::size_t matches, std::size_t asked) const {
  const double share = report_.chance + near_agreement * (1 - report_.chance);
  const auto n = static_cast<double>(asked);
  return static_cast<double>(matches) < n * share - 4 * std::sqrt(n * share * (1 - share));
}

bool Identifier::score(std::size_t row, const Candidate& how, std::string& refused) {
  const auto trial = trial_of(how, refused);
  if (!trial) return false;
  constexpr std::size_t block = 64;
  Scored out;
  out.match.how = how;
  out.row = row;
  out.tried = scored_.size();
  for (std::size_t i = 0; i < samples_.used.size(); ++i) {
    if (i && i % block == 0 && i <= samples_.choosing && hopeless(i - out.match.mismatches, i)) return false;
    const NodeIndex owner = trial->owner(samples_.at(i).key);
    out.answers.push_back(owner);
    if (owner != samples_.at(i).node)
      ++(i < samples_.choosing ? out.match.mismatches : out.match.held_out_mismatches);
  }
  if (hopeless(samples_.choosing - out.match.mismatches, samples_.choosing)) return false;
  // Another order that moves no key is no other try.
  const bool repeats =
      how.sorted && !scored_.empty() && scored_.back().row == row && scored_.back().answers == out.answers;
  if (!repeats) scored_.push_back(std::move(out));
  return true;
}

bool Identifier::accepted(const Scored& scored) const {
  return scored.match.mismatches <= most_mismatches_ &&
         samples_.choosing - scored.match.mismatches >= significant_ &&
         scored.match.held_out_mismatches <= most_held_out_;
}

// Beyond chance, or in agreement with all of too few samples.
bool Identifier::near(const Scored& scored) const {
  return samples_.choosing - scored.match.mismatches >= significant_ || scored.mismatches() == 0;
}

// Let e be the share of wrong samples and a wrong one name any other node. Each sample that the best try
// explains and another one does not makes the other (1 - e)(N - 1) / e times less likely. Worked example:
// 300 samples, none wrong, 5 nodes: e is about 1/300, and one such sample alone makes it 1,200 times.
void Identifier::choose() {
  // Of equals the map's own row first, then the plainest.
  const auto rank = [&](const Scored& s) {
    return std::tuple(s.mismatches(), s.match.how.placement.recipe != known_.placement.recipe,
                      said(s.match.how).size(), s.tried);
  };
  std::sort(scored_.begin(), scored_.end(),
            [&](const Scored& a, const Scored& b) { return rank(a) < rank(b); });
  const auto best =
      std::find_if(scored_.begin(), scored_.end(), [&](const Scored& s) { return accepted(s); });
  double odds = 0;
  if (best != scored_.end()) {
    const double wrong =
        (static_cast<double>(best->mismatches()) + 1) / (static_cast<double>(samples_.used.size()) + 2);
    const auto others = static_cast<double>(std::max<std::size_t>(2, known_.nodes.size()) - 1);
    odds = std::log(std::max(2.0, (1 - wrong) * others / wrong));
    list_wrong(*best);
  }
  std::map<std::vector<NodeIndex>, std::size_t> groups;
  for (Scored& scored : scored_) {
    const bool allowed =
        accepted(scored) &&
        odds * static_cast<double>(scored.mismatches() - best->mismatches()) <= std::log(ruled_out_odds);
    if (allowed) {
      scored.match.samples_group = groups.emplace(scored.answers, groups.size()).first->second;
      report_.found.push_back(scored.match);
    } else if (near(scored)) {
      note_near_miss(scored);
    }
  }
}

void Identifier::note_near_miss(const Scored& scored) {
  std::vector<Match>& list = report_.near_misses;
  const auto same_row = [&](const Match& m) {
    return m.how.placement.recipe == scored.match.how.placement.recipe;
  };
  const bool known = std::any_of(list.begin(), list.end(), same_row) ||
                     std::any_of(report_.found.begin(), report_.found.end(), same_row);
  if (list.size() < options_.near_misses && !known) list.push_back(scored.match);
}

void Identifier::list_wrong(const Scored& best) {
  for (std::size_t i = 0; i < best.answers.size() && report_.wrong.size() < most_wrong; ++i)
    if (best.answers[i] != samples_.at(i).node) report_.wrong.push_back({samples_.used[i], best.answers[i]});
  std::sort(report_.wrong.begin(), report_.wrong.end(),
            [](const auto& a, const auto& b) { return a.sample < b.sample; });
}

void Identifier::tell_apart() {
  std::vector<Match>& found = report_.found;
  if (found.size() < 2) return;
  std::vector<Trial> trials;
  std::string refused;
  for (const Match& match : found) trials.push_back(*trial_of(match.how, refused));
  std::vector<std::size_t> group(found.size());
  std::size_t groups = 1;
  KeysLike keys(samples_.all, traits_.all_addresses, options_.seed + 1);
  for (std::size_t i = 0; i < most_further && groups < found.size(); ++i) {
    IdentifyReport::Telling telling{keys.next(), {}};
    std::map<std::pair<std::size_t, NodeIndex>, std::size_t> split;
    std::vector<std::size_t> next;
    for (std::size_t t = 0; t < trials.size(); ++t) {
      telling.owners.push_back(trials[t].owner(telling.key));
      next.push_back(split.emplace(std::pair(group[t], telling.owners.back()), split.size()).first->second);
    }
    report_.further_keys = i + 1;
    if (split.size() == groups) continue;
    groups = split.size();
    group = std::move(next);
    if (report_.telling.size() < most_telling) report_.telling.push_back(std::move(telling));
  }
  for (std::size_t t = 0; t < found.size(); ++t) found[t].keys_group = group[t];
  drop_twins();
}

// Settings of one row that changed the owner of no key, such as a sort of a sorted list, are one answer.
void Identifier::drop_twins() {
  std::set<std::pair<std::string_view, std::size_t>> seen;
  std::vector<std::size_t> kept;
  for (std::size_t t = 0; t < report_.found.size(); ++t)
    if (seen.emplace(report_.found[t].how.placement.recipe->name, report_.found[t].keys_group).second)
      kept.push_back(t);
  const auto keep = [&](auto& list) {
    for (std::size_t k = 0; k < kept.size(); ++k)
      if (kept[k] != k) list[k] = std::move(list[kept[k]]);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(kept.size()), list.end());
  };
  keep(report_.found);
  for (auto& telling : report_.telling) keep(telling.owners);
}

void Identifier::look_at_samples() {
  using enum Finding::Severity;
  std::map<std::string_view, NodeIndex> node_of;
  std::set<NodeIndex> seen;
  std::string_view twice;
  for (const ObservedKey& sample : samples_.all) {
    seen.insert(sample.node);
    if (node_of.emplace(sample.key, sample.node).first->second != sample.node) twice = sample.key;
  }
  if (!twice.empty())
    report_.findings.push_back(
        {warning, "sample-conflict", std::string(twice), "a key was seen on more than one node",
         "each such key counts as wrong for every recipe: drop stale copies and replicas"});
  if (seen.size() == 1 && known_.nodes.size() > 1) {
    report_.findings.push_back(
        {warning, "samples-one-node", known_.nodes[*seen.begin()].name,
         "all samples are of one node, and any recipe that gives it every key explains them",
         "bring keys of every node"});
    return;
  }
  const double misses =
      std::pow(1 - 1 / static_cast<double>(known_.nodes.size()), static_cast<double>(samples_.used.size()));
  for (std::size_t n = 0; n < known_.nodes.size() && misses < wrong_level; ++n)
    if (!seen.contains(static_cast<NodeIndex>(n)) && known_.nodes[n].weight > 0)
      report_.findings.push_back({warning, "node-unseen", known_.nodes[n].name,
                                  "no sample is of node " + known_.nodes[n].name,
                                  "is it in the list that the system has? a node too many moves keys"});
}

void Identifier::score_row(std::size_t row) {
  const Recipe& recipe = recipes()[row];
  const bool order_is_for_ties = find_method(recipe.method)->is_ring() && recipe.label != LabelRule::none;
  std::string refused;
  std::size_t asked = 0, refusals = 0;
  bool listed_is_hopeless = false;
  for (const Candidate& how : tries_[row]) {
    if (how.sorted && listed_is_hopeless && order_is_for_ties) continue;
    std::string why;
    listed_is_hopeless = !score(row, how, why);
    ++asked;
    if (why.empty()) continue;
    ++refusals;
    if (refused.empty()) refused = why;
  }
  if (refusals < asked) ++report_.rows;
  if (refusals && refusals == asked) report_.left_out.push_back({recipe.name, refused});
  report_.tried -= refusals;
}

IdentifyReport Identifier::run() {
  report_.chosen_by = samples_.choosing;
  report_.held_out = samples_.used.size() - samples_.choosing;
  report_.chance = chance_of(known_, samples_);
  list_tries();
  const double level = chance_level / static_cast<double>(std::max<std::size_t>(1, report_.tried));
  significant_ = binomial_rare(samples_.choosing, report_.chance, level);
  most_mismatches_ = binomial_rare(samples_.choosing, options_.tolerated, wrong_level) - 1;
  most_held_out_ = binomial_rare(report_.held_out, options_.tolerated, wrong_level) - 1;
  report_.enough = static_cast<std::size_t>(std::ceil(std::log(level) / std::log(report_.chance)));
  report_.enough += report_.enough / (held_out_part - 1) + 1;
  for (std::size_t row = 0; row < tries_.size(); ++row) score_row(row);
  choose();
  tell_apart();
  look_at_samples();
  return std::move(report_);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> said(const Candidate& candidate) {
  const PlacementSettings& p = candidate.placement;
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&](std::string_view name, std::string value) {
    out.emplace_back(name, std::move(value));
  };
  if (p.hash != p.recipe->hash) add("hash", std::string(info(p.hash).name));
  if (p.given && p.recipe->points != PointRule::given) add("allocation", "given");
  if (p.tokens && p.tokens != p.recipe->default_tokens) add("tokens", std::to_string(p.tokens));
  if (!p.hash_tag.empty()) add("hash_tag", p.hash_tag);
  if (p.slots && p.slots != p.recipe->default_slots) add("slots", std::to_string(p.slots));
  for (const auto& [name, value] : p.settings) add(name, value);
  if (candidate.sorted) add("order", "sorted by name");
  return out;
}

IdentifyReport identify(const ClusterMap::Parts& known, std::span<const ObservedKey> samples,
                        const IdentifyOptions& options) {
  return Identifier(known, samples, options).run();
}

}  // namespace arcwise
