// Rules about the keys that were given: which cause makes their spread uneven.
#include <algorithm>
#include <cmath>

#include "arcwise/keys.hpp"
#include "study/lint.hpp"
#include "study/lint_text.hpp"
#include "study/numbers.hpp"

namespace arcwise {
namespace {

constexpr double uneven = 1.1;     ///< a node with so much more than its share, or a cause that makes so much
constexpr double no_chance = 4;    ///< standard deviations
constexpr double hot_part = 0.05;  ///< of what a node is entitled to, by one key

/// The fullest node where it has a tenth more than its share or more, else nullptr.
const KeySpread::Node* overfull(const LintContext& c) {
  const KeySpread* spread = c.options.keys;
  if (!spread || spread->fullest == no_node) return nullptr;
  const KeySpread::Node& node = spread->nodes[spread->fullest];
  return node.ratio() >= uneven ? &node : nullptr;
}

std::string two_digits(double value) {
  const auto hundredths = static_cast<std::uint64_t>(100 * value + 0.5);
  return std::to_string(hundredths / 100) + '.' + std::to_string(100 + hundredths % 100).substr(1);
}

void report(const LintContext& c, Findings& out, double factor, std::string_view cause,
            std::string_view advice) {
  const KeySpread& spread = *c.options.keys;
  const KeySpread::Node& node = spread.nodes[spread.fullest];
  const KeySpread::Factors& f = spread.factors;
  const bool largest = factor >= std::max({f.weights, f.arcs, f.hash_pattern, f.hot_keys});
  const std::string& name = c.map.nodes()[spread.fullest].name;
  out.push_back({{},
                 {},
                 name,
                 name + " gets " + percent(node.share) + " of these keys, " + two_digits(node.ratio()) +
                     " times its share of " + percent(node.target) + "; " + std::string(cause) + " that " +
                     two_digits(factor) + " times" + (largest ? ", the largest of the causes" : ""),
                 std::string(advice)});
}

// A cause is named when it makes a tenth more and no less than a fifth of the whole, on the scale on which
// factors add up.
bool makes(const LintContext& c, double factor) {
  const double ratio = c.options.keys->nodes[c.options.keys->fullest].ratio();
  return factor >= uneven && std::log(factor) >= 0.2 * std::log(ratio);
}

}  // namespace

void lint_keys_weights(const LintContext& c, Findings& out) {
  if (overfull(c) && makes(c, c.options.keys->factors.weights))
    report(c, out, c.options.keys->factors.weights, "weights that become other points make",
           "see share-distorted and weights-ignored: use more points, or a recipe that takes weights");
}

void lint_keys_arcs(const LintContext& c, Findings& out) {
  if (overfull(c) && makes(c, c.options.keys->factors.arcs))
    report(c, out, c.options.keys->factors.arcs, "arcs longer than their number asks for make",
           "more tokens a node, or allocated ones, even out the arcs; so does moving slots");
}

void lint_keys_hash_pattern(const LintContext& c, Findings& out) {
  if (!overfull(c) || c.options.keys->pattern_sigma < no_chance ||
      !makes(c, c.options.keys->factors.hash_pattern))
    return;
  const KeySpread& spread = *c.options.keys;
  std::string cause =
      "the hash " + std::string(info(c.map.placement().hash).name) + " on the pattern of these keys";
  if (spread.parts > spread.parts_hit && spread.distinct >= 16 * std::uint64_t{spread.parts})
    cause += " (they reach " + std::to_string(spread.parts_hit) + " of " + std::to_string(spread.parts) +
             " equal parts of its values)";
  report(c, out, spread.factors.hash_pattern, cause + " makes",
         "use a key hash that mixes well, such as md5, murmur or xxh3");
}

void lint_keys_hot(const LintContext& c, Findings& out) {
  const KeySpread::Node* node = overfull(c);
  if (!node || !makes(c, c.options.keys->factors.hot_keys)) return;
  const KeySpread& spread = *c.options.keys;
  std::string list;
  for (const KeySpread::HotKey& hot : spread.hottest) {
    const double part = static_cast<double>(hot.count) / static_cast<double>(spread.keys);
    if (hot.node == spread.fullest && part >= hot_part * node->target)
      list += (list.empty() ? "" : ", ") + hot.key.substr(0, 60) + " " + percent(part);
  }
  if (list.empty()) return;
  report(c, out, spread.factors.hot_keys, "hot keys (" + list + ") make",
         "no placement spreads one key: cache it near its readers, split it, or replicate it");
}

void lint_keys_few(const LintContext& c, Findings& out) {
  constexpr double enough = 100;
  const KeySpread* spread = c.options.keys;
  if (!spread || spread->fullest == no_node || spread->distinct == 0) return;
  const double each = static_cast<double>(spread->distinct) * spread->nodes[spread->fullest].target;
  if (each >= enough) return;
  out.push_back({{},
                 {},
                 "keys",
                 counted(spread->distinct, "distinct key") + ": chance alone spreads a node's number by " +
                     percent(1 / std::sqrt(std::max(1.0, each))),
                 "bring some thousand keys to tell causes from chance"});
}

}  // namespace arcwise
