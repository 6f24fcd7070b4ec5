// The change a few nodes at a time: each step compared, paced and judged.
#include <algorithm>
#include <map>

#include "arcwise/steps.hpp"
#include "study/diff.hpp"
#include "study/plan_cache.hpp"
#include "study/plan_pace.hpp"
#include "study/plan_safety.hpp"
#include "study/step_back.hpp"
#include "study/step_maps.hpp"
#include "study/step_warnings.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t sampled_keys = 1'000'000;

// What does not answer counts as holding nothing, whatever it may still have.
std::set<std::string> all_down(const StepOptions& options) {
  std::set<std::string> out(options.down.begin(), options.down.end());
  out.insert(options.seen_down.begin(), options.seen_down.end());
  return out;
}

struct Inputs {
  const CostOptions& cost;
  const StepOptions& options;
  std::uint64_t seed;
  const Disks* disks;  ///< null: use of the disks is unknown
};

StepLoad load_of(const NodeFlow& flow, const Diff::NodeShare& share, const Pace& pace,
                 const CostOptions& cost) {
  StepLoad out;
  out.name = flow.name;
  out.bytes_out = flow.bytes_out;
  out.bytes_in = flow.bytes_in;
  out.send_rate = flow.send_rate;
  if (pace.seconds > 0) out.receive_rate = flow.bytes_in / pace.seconds;
  if (cost.node_bandwidth > 0)
    out.budget_used = std::max(out.send_rate, out.receive_rate) / cost.node_bandwidth;
  out.stored_before = share.before;
  out.stored_peak = share.before + share.gained;
  out.stored_after = share.after;
  return out;
}

// A joiner with a bandwidth of its own may receive more than node_bandwidth: its budget is that one.
void joiner_budget(StepLoad& load, const ClusterMap& before, const CostOptions& cost) {
  if (cost.joiner_bandwidth > 0 && !before.find(load.name))
    load.budget_used = load.receive_rate / cost.joiner_bandwidth;
}

// The share whose copies would have to go back.
Share to_go_back(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after, Share share) {
  Share out;
  for (std::uint32_t n : before)
    if (std::find(after.begin(), after.end(), n) == after.end()) out += share;
  return out;
}

// Who can send, and who keeps a copy: what is down or gone does not send what it gives up, and what is down
// and stays comes last.
class Senders {
 public:
  Senders(const NodeUnion& nodes, const std::set<std::string>& gone, const std::set<std::string>& down) {
    for (const std::string& name : nodes.names) dead_.push_back(gone.count(name) || down.count(name));
  }
  std::span<const std::uint32_t> of(std::span<const std::uint32_t> before,
                                    std::span<const std::uint32_t> after) {
    live_.clear();
    for (std::uint32_t n : before)
      if (!dead_[n]) live_.push_back(n);
    if (live_.size() == before.size()) return before;
    for (std::uint32_t n : before)
      if (dead_[n] && std::find(after.begin(), after.end(), n) != after.end()) live_.push_back(n);
    return live_;
  }

 private:
  std::vector<bool> dead_;
  std::vector<std::uint32_t> live_;
};

class StepMaker {
 public:
  StepMaker(const StepMaps& maps, const Inputs& in) : maps_(maps), in_(in) {}

  Step make(std::size_t i, const Placement& before, const Placement& after);

 private:
  void fill_loads(Step& step, const Diff& diff, const SafetyTally& safety, const NodeUnion& nodes,
                  std::size_t i) const;

  const StepMaps& maps_;
  const Inputs& in_;
};

Step StepMaker::make(std::size_t i, const Placement& before, const Placement& after) {
  Step step;
  std::set<std::string> gone;
  for (const NodeChange& change : maps_.changes[i]) {
    step.actions.push_back(change.action);
    if (change.gone) gone.insert(change.before);
  }
  const NodeUnion nodes(before.map(), after.map());
  Tally tally(nodes.names.size());
  const std::set<std::string> down = all_down(in_.options);
  SafetyTally safety(nodes, before.map(), after.map(), gone, down);
  Senders senders(nodes, gone, down);
  const std::uint64_t keys = for_each_piece(before, after, nodes, in_.seed, sampled_keys,
                                            [&](auto a, auto b, Share share, std::uint32_t ranges) {
                                              tally.add(senders.of(a, b), b, share, ranges);
                                              safety.add(a, b, share);
                                              step.back.moved += to_go_back(a, b, share);
                                            });
  Diff diff;
  tally.fill(nodes, diff);
  if (keys > 0) step.sampled = Sampled{keys, tally.error_95(keys)};
  step.moved = diff.moved;
  step.safety = safety.take();
  if (in_.options.hit_ratio) step.cache = StepCache{safety.cold()};
  fill_loads(step, diff, safety, nodes, i);
  step.transfers = std::move(diff.transfers);
  return step;
}

void StepMaker::fill_loads(Step& step, const Diff& diff, const SafetyTally& safety, const NodeUnion& nodes,
                           std::size_t i) const {
  const ClusterMap &before = maps_.maps[i], &after = maps_.maps[i + 1];
  Pace pace = pace_of(diff, before, after, in_.cost);
  step.bytes = pace.bytes;
  step.seconds = pace.seconds;
  step.pace = std::move(pace.bottleneck);
  step.racks = std::move(pace.racks);
  for (std::size_t n = 0; n < diff.nodes.size(); ++n) {
    StepLoad load = load_of(pace.flows[n], diff.nodes[n], pace, in_.cost);
    joiner_budget(load, before, in_.cost);
    const auto was = before.find(load.name), is = after.find(load.name);
    const Node& node = is ? after.nodes()[*is] : before.nodes()[*was];
    if (in_.disks) load.utilisation_peak = in_.disks->filled(node, load.stored_peak);
    const auto number = static_cast<std::uint32_t>(
        std::lower_bound(nodes.names.begin(), nodes.names.end(), load.name) - nodes.names.begin());
    load.first_before = safety.first_before(number);
    load.first_after = safety.first_after(number);
    step.nodes.push_back(std::move(load));
  }
}

// Each step begins when the one before is over and old enough; a cache is then as warm as that time makes it.
void set_times(StepPlan& plan, const StepOptions& options) {
  double start = options.last_change_age ? std::max(0.0, options.min_age - *options.last_change_age) : 0;
  double cold = 0;
  for (Step& step : plan.steps) {
    step.start = start;
    const double next = start + step.seconds + options.min_age;
    if (step.cache) {
      const Share newly = step.cache->cold;
      step.cache = cache_after(newly, cold, options);
      cold = still_cold_after(1 - step.cache->hit_ratio_after / *options.hit_ratio, next - start, options);
    }
    plan.seconds = start + step.seconds;
    start = next;
  }
}

void add_peaks(StepPlan& plan, double data_bytes) {
  std::map<std::string, PeakLoad> peaks;
  for (std::size_t s = 0; s < plan.steps.size(); ++s)
    for (const StepLoad& load : plan.steps[s].nodes) {
      const auto [at, fresh] = peaks.try_emplace(load.name);
      PeakLoad& peak = at->second;
      if (fresh) {
        peak.name = load.name;
        if (s == 0) peak.first_before = load.first_before;
      }
      if (const double rate = std::max(load.send_rate, load.receive_rate); rate > peak.rate) {
        peak.rate = rate;
        peak.budget_used = load.budget_used;
        peak.rate_step = s + 1;
      }
      if (fresh || peak.stored < load.stored_peak) {
        peak.stored = load.stored_peak;
        peak.stored_bytes = load.stored_peak.value() * data_bytes;
        peak.stored_step = s + 1;
      }
      if (load.utilisation_peak && load.utilisation_peak > peak.utilisation)
        peak.utilisation = load.utilisation_peak;
      peak.first_peak = std::max({peak.first_peak, load.first_before, load.first_after});
      const bool last = s + 1 == plan.steps.size();
      peak.first_after = last ? load.first_after : Share{};
      peak.stored_after = last ? load.stored_after : Share{};
    }
  for (auto& [name, peak] : peaks) plan.peaks.push_back(std::move(peak));
}

StepPlan planned(StepMaps maps, const CostOptions& cost, const StepOptions& options, std::uint64_t seed) {
  StepPlan out;
  Placement placed = compile(maps.maps.front());
  std::optional<Disks> disks;
  if (cost.utilisation) disks.emplace(maps.maps.front(), ownership(placed), *cost.utilisation);
  const Inputs in{cost, options, seed, disks ? &*disks : nullptr};
  StepMaker maker(maps, in);
  out.states.push_back(fingerprints(placed));
  for (std::size_t i = 0; i < maps.changes.size(); ++i) {
    const Placement next = compile(maps.maps[i + 1], placed);
    out.states.push_back(fingerprints(next));
    Step step = maker.make(i, placed, next);
    step.back.words = words_back(maps.maps[i], maps.maps[i + 1], maps.changes[i], out.states[i]);
    out.moved += step.moved;
    out.bytes += step.bytes;
    out.steps.push_back(std::move(step));
    placed = next;
  }
  set_times(out, options);
  add_peaks(out, cost.data_bytes);
  out.warnings = step_warnings(out, options);
  out.warnings.insert(out.warnings.end(), maps.warnings.begin(), maps.warnings.end());
  out.maps = std::move(maps.maps);
  return out;
}

}  // namespace

StepPlan plan_steps(const ClusterMap& before, const ClusterMap& after, const Change& change,
                    const CostOptions& cost, const StepOptions& options, std::uint64_t seed) {
  StepPlan out = planned(step_maps(before, after, change, options.max_in_flight, all_down(options)), cost,
                         options, seed);
  if (out.steps.size() > 1)
    note_moved_twice(out, compare(compile(before), compile(after), seed, sampled_keys).moved);
  return out;
}

StepPlan plan_steps(const ClusterMap& before, const std::vector<Stage>& stages, const CostOptions& cost,
                    const StepOptions& options, std::uint64_t seed) {
  StepMaps maps;
  maps.maps.push_back(before);
  for (const Stage& stage : stages) {
    maps.maps.push_back(stage.map);
    maps.changes.push_back({{stage.action, stage.before, stage.after, false}});
  }
  return planned(std::move(maps), cost, options, seed);
}

}  // namespace arcwise
