#include "cli/change_text.hpp"

#include <algorithm>
#include <numeric>

#include "arcwise/format.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t widest_name = 26;

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : ",") + shortened(w, widest_name);
  return out.empty() ? "nobody" : out;
}

// Indexes with the largest value first; equal ones stay in order.
template <class Value>
std::vector<std::size_t> largest_first(std::size_t count, Value value) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  return order;
}

std::string signed_percent(double value, int digits) {
  return (value > 0 ? "+" : "") + per_cent(value, digits);
}

}  // namespace

std::string transfer_table(const Diff& diff, double data_bytes, std::size_t most, bool colour) {
  const auto& all = diff.transfers;
  const auto order = largest_first(all.size(), [&](std::size_t i) { return all[i].share; });
  Table table({{"from"}, {"to"}, {"share", true}, {"bytes", true}});
  std::size_t rows = 0;
  double rest = 0;
  for (std::size_t i : order) {
    const Transfer& t = all[i];
    if (most && rows >= most && order.size() > most + 1) {
      rest += t.share.value();
      continue;
    }
    ++rows;
    table.row({t.from.empty() ? "nobody" : shortened(t.from, widest_name), shortened(t.to, widest_name),
               per_cent(t.share.value(), 2),
               data_bytes > 0 ? human_bytes(t.share.value() * data_bytes) : ""});
  }
  if (rows < all.size())
    table.note("… " + counted(all.size() - rows) + " more, " + per_cent(rest) +
               " together (--all shows them)");
  return table.text(colour);
}

std::string share_table(const Diff& diff, std::size_t most, bool colour) {
  const auto change = [&](std::size_t i) {
    return diff.nodes[i].after.value() - diff.nodes[i].before.value();
  };
  const auto size = [&](std::size_t i) { return std::max(diff.nodes[i].gained, diff.nodes[i].given); };
  auto order = largest_first(diff.nodes.size(), size);
  std::erase_if(order, [&](std::size_t i) { return most && size(i).units == 0; });
  if (most && order.size() > most + 1) order.resize(most);
  std::sort(order.begin(), order.end());
  Table table({{"node"},
               {"held before", true},
               {"after", true},
               {"change", true},
               {"gained", true},
               {"given", true}});
  for (std::size_t i : order) {
    const Diff::NodeShare& n = diff.nodes[i];
    table.row({shortened(n.name, widest_name), per_cent(n.before.value(), 2), per_cent(n.after.value(), 2),
               signed_percent(change(i), 2), per_cent(n.gained.value(), 2), per_cent(n.given.value(), 2)});
  }
  if (order.size() < diff.nodes.size())
    table.note("… " + counted(diff.nodes.size() - order.size()) +
               " more that change less or not at all (--all shows them)");
  return table.text(colour);
}

std::string promotion_text(const Diff& diff, const ClusterMap& map, std::size_t most) {
  if (diff.promotions.empty()) return "";
  const bool promotes = map.placement().recipe->promotes;
  const std::string noun = map.placement().recipe->name == "redis-cluster" ? "slot" : "copy";
  const std::string became = promotes ? " was promoted in place of " : " is first in place of ";
  Share promoted;
  std::string list;
  for (std::size_t i = 0; i < diff.promotions.size(); ++i) {
    const Transfer& p = diff.promotions[i];
    promoted += p.share;
    if (i < most)
      list += (i ? ", " : "") + shortened(p.to, widest_name) + became + shortened(p.from, widest_name) +
              " on " + per_cent(p.share.value());
  }
  if (diff.promotions.size() > most) list += " and " + counted(diff.promotions.size() - most) + " more";
  if (diff.moved.units == 0) return "no " + noun + " moved: " + list;
  return (promoted == diff.primary_moved ? "every new first owner had a copy before: "
                                         : "of those with a copy before: ") +
         list;
}

std::string example_text(const Diff& diff) {
  std::string out;
  for (const ExampleKey& e : diff.example_keys)
    out += "  " + printable(e.key) + ": " + joined(e.before) + " → " + joined(e.after) + '\n';
  return out;
}

void add_finding(Notes& notes, const Finding& w) {
  const bool info = w.severity == Finding::Severity::info;
  const std::string text =
      (w.subject.empty() ? "" : w.subject + ": ") + w.message + (w.advice.empty() ? "" : "; " + w.advice);
  notes.line(info ? (w.rule == "parts-moved" ? "parts" : "note") : "warning", text,
             info ? Tone::plain : Tone::warning);
}

}  // namespace arcwise::cli
