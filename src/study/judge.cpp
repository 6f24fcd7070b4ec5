// Is an imbalance made by tokens, by data, both or neither?
//
// Tokens: the fullest node's share is beyond what 99 % of random rings give it. Data: bytes per share differ
// between nodes by more than what storage engines make of equal data.
#include <algorithm>
#include <array>
#include <cmath>

#include "arcwise/ownership.hpp"

namespace arcwise {
namespace {

// Equal data takes unequal space: a compaction holds its input and output at once for a while, snapshots and
// deleted rows stay on some nodes longer than on others. A quarter above the mean is still that; more is the
// data itself.
constexpr double storage_noise = 1.25;
// Equal sums may differ in their last bits.
constexpr double rounding = 1e-9;

std::string decimal(double value, unsigned digits) {
  std::uint64_t scale = 1;
  for (unsigned i = 0; i < digits; ++i) scale *= 10;
  const auto scaled = static_cast<std::uint64_t>(std::llround(value * static_cast<double>(scale)));
  std::string text = std::to_string(scaled / scale);
  if (digits == 0) return text;
  const std::string fraction = std::to_string(scaled % scale);
  return text + '.' + std::string(digits - fraction.size(), '0') + fraction;
}
std::string percent(double fraction) {
  return decimal(100 * fraction, fraction < 0.1 ? 1 : 0) + " %";
}
std::string quoted(const std::string& name) {
  return "'" + name + "'";
}

/// Bytes against shares, over the nodes whose load was seen and that hold something.
struct Data {
  std::size_t nodes = 0;
  double load_max_over_mean = 0;
  double density_max_over_mean = 0;
  std::string densest;
  bool known() const { return nodes >= 2; }
  bool skewed() const { return known() && density_max_over_mean > storage_noise; }
};

// Worked example: a holds half the space and 60 GB, b the other half and 30 GB, so a share of 1 weighs 90 GB
// on average, but 120 GB at a: 1.33 times the mean.
Data measure(const ClusterMap& map, const Ownership& ownership, const Observed& observed) {
  Data data;
  double bytes = 0, share = 0, most_bytes = 0, most_density = 0;
  for (std::size_t n = 0; n < std::min(map.nodes().size(), observed.load_bytes.size()); ++n) {
    const std::optional<double>& load = observed.load_bytes[n];
    const double effective = ownership.nodes[n].effective.value();
    if (!load || map.nodes()[n].state == NodeState::joining || effective <= 0) continue;
    ++data.nodes;
    bytes += *load;
    share += effective;
    most_bytes = std::max(most_bytes, *load);
    if (*load / effective > most_density) {
      most_density = *load / effective;
      data.densest = map.nodes()[n].name;
    }
  }
  if (!data.known() || bytes <= 0) return {};
  data.load_max_over_mean = most_bytes / (bytes / static_cast<double>(data.nodes));
  data.density_max_over_mean = most_density / (bytes / share);
  return data;
}

struct Fullest {
  std::string name;
  double ratio = 0;
};

Fullest fullest(const ClusterMap& map, const Ownership& ownership) {
  Fullest result;
  for (std::size_t n = 0; n < map.nodes().size(); ++n)
    if (ownership.nodes[n].ratio() > result.ratio) result = {map.nodes()[n].name, ownership.nodes[n].ratio()};
  return result;
}

double tokens_a_node(const Ownership& ownership) {
  const auto with_tokens = std::count_if(ownership.nodes.begin(), ownership.nodes.end(),
                                         [](const NodeOwnership& n) { return n.tokens > 0; });
  return static_cast<double>(ownership.ring_entries) /
         static_cast<double>(std::max<std::ptrdiff_t>(1, with_tokens));
}

std::string token_words(double tokens) {
  const bool whole = tokens == std::floor(tokens);
  return (whole ? decimal(tokens, 0) : "about " + decimal(tokens, 1)) + (tokens == 1 ? " token" : " tokens") +
         " a node";
}

void say_tokens(const ClusterMap& map, const Ownership& ownership, const std::optional<ByChance>& chance,
                Judgement& judgement) {
  const double most = ownership.balance.max_over_target;
  const bool beyond = judgement.tokens_beyond_chance;
  std::string text =
      quoted(judgement.fullest_node) + " holds " + decimal(most, 2) + " times its target share of key space";
  if (chance) {
    text += beyond ? ", beyond chance" : ", no more than chance explains";
    text += ": of random rings with " + token_words(tokens_a_node(ownership)) + " half stay below " +
            decimal(chance->median, 2) + " and 99 % below " + decimal(chance->p99, 2) + '.';
    if (beyond)
      text = "Tokens: " + text + " Move or allocate tokens, or correct weights.";
    else if (most > storage_noise)
      text = "Chance: " + text + " More tokens or allocated ones would even it out.";
    else
      text = "Balanced: " + text;
  } else if (beyond) {
    text = "Slots: " + text + "; slots are assigned, not drawn, so assign some of them to others.";
  } else if (map.placement().recipe->points == PointRule::table && !map.placement().slots) {
    text = "Fullest: " + text + "; listed ranges do not tell what chance would have given.";
  } else {
    text = (most > storage_noise ? "Fullest: " : "Balanced: ") + text + '.';
  }
  judgement.sentences.push_back(std::move(text));
}

void say_capacity(const Ownership& ownership, Judgement& judgement) {
  const double usable = ownership.balance.usable_capacity;
  if (usable >= 0.995) return;
  judgement.sentences.push_back(
      "When its fullest node is full, " + percent(usable) +
      " of the fleet's capacity is used; restarts and repairs do not change that, as shares "
      "follow from the map.");
}

void say_data(const Data& data, Judgement& judgement) {
  if (!data.known()) {
    judgement.sentences.push_back(
        "No load was seen, so bytes per share, and with them data skew, are unknown: nodetool status or ring "
        "has them.");
    return;
  }
  const std::string most = quoted(data.densest) + " stores " + decimal(data.density_max_over_mean, 2) +
                           " times the mean of bytes per share";
  if (data.skewed())
    judgement.sentences.push_back(
        "Data: " + most + ", above the " + decimal(storage_noise, 2) +
        " that compaction and snapshots explain: its keys are larger or more, and no token "
        "cures that.");
  else
    judgement.sentences.push_back("Bytes follow shares: at most, " + most + " (the largest load is " +
                                  decimal(data.load_max_over_mean, 2) + " times the mean).");
}

// The rule of thumb and the figure that also knows replicas, weights and racks.
void say_spread(const Ownership& ownership, const ByChance& chance, Judgement& judgement) {
  const double tokens = tokens_a_node(ownership);
  judgement.sentences.push_back(
      "Relative spread of shares: " + percent(ownership.balance.stddev_over_target) + "; 1/√V is " +
      percent(1 / std::sqrt(tokens)) + " for " + token_words(tokens) + ", random rings of this policy give " +
      percent(chance.stddev_median) + ".");
}

ImbalanceCause cause_of(bool tokens, const Data& data) {
  if (data.skewed()) return tokens ? ImbalanceCause::both : ImbalanceCause::data;
  if (tokens) return ImbalanceCause::tokens;
  return data.known() ? ImbalanceCause::none : ImbalanceCause::unknown_data;
}

}  // namespace

std::string_view to_string(ImbalanceCause cause) {
  static constexpr std::array<std::string_view, 5> names{"none", "tokens", "data", "both", "unknown-data"};
  return names[static_cast<std::size_t>(cause)];
}

Judgement judge(const Placement& placement, const Ownership& ownership, const std::optional<ByChance>& chance,
                const Observed& observed) {
  const ClusterMap& map = placement.map();
  const Data data = measure(map, ownership, observed);
  const Fullest most = fullest(map, ownership);
  Judgement judgement;
  judgement.fullest_node = most.name;
  // Slots have no chance to compare with: whoever assigned them could have assigned them evenly.
  judgement.tokens_beyond_chance = chance ? most.ratio > chance->p99 * (1 + rounding)
                                          : map.placement().slots > 0 && most.ratio > storage_noise;
  judgement.load_max_over_mean = data.load_max_over_mean;
  judgement.density_max_over_mean = data.density_max_over_mean;
  judgement.density_node = data.densest;
  judgement.cause = cause_of(judgement.tokens_beyond_chance, data);

  if (ownership.unowned.units > 0)
    judgement.sentences.push_back(percent(ownership.unowned.value()) + " of key space has no owner.");
  if (most.ratio > 0) {
    const bool data_first = judgement.cause == ImbalanceCause::data;
    if (data_first) say_data(data, judgement);
    say_tokens(map, ownership, chance, judgement);
    say_capacity(ownership, judgement);
    if (!data_first) say_data(data, judgement);
    if (chance) say_spread(ownership, *chance, judgement);
  }
  judgement.sentences.push_back(
      "This speaks of key space, not of traffic: a hot key makes its owners hot whatever their shares.");
  return judgement;
}

}  // namespace arcwise
