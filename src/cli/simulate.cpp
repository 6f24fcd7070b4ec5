// simulate balance, simulate join: what random rings do, beside what theory says.
#include <fmt/format.h>

#include <memory>

#include "arcwise/simulate.hpp"
#include "cli/cluster_args.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::uint64_t most_points = 20'000'000'000;  // nodes × tokens × trials: minutes, not days

struct Options {
  std::optional<std::uint32_t> nodes, trials;
  std::vector<std::uint32_t> tokens;
  std::uint64_t seed = 1;
  std::uint32_t probes = 1;
};

std::string read_tokens(std::vector<std::uint32_t>& into, const std::string& text) {
  for (const std::string& word : split_commas(text)) {
    std::uint64_t value = 0;
    for (char c : word) {
      if (c < '0' || c > '9') return "is not a list of whole numbers, such as 1,16,256";
      value = std::min<std::uint64_t>(10 * value + static_cast<std::uint64_t>(c - '0'), 2'000'000);
    }
    if (value < 1 || value > 1'000'000) return "is not a list of whole numbers from 1 to 1,000,000";
    into.push_back(static_cast<std::uint32_t>(value));
  }
  return "";
}

std::string read_probes(std::uint32_t& into, const std::string& text) {
  std::vector<std::uint32_t> numbers;
  if (!read_tokens(numbers, text).empty() || numbers.size() != 1 || numbers[0] > 64)
    return "is not a number from 1 to 64";
  into = numbers[0];
  return "";
}

std::shared_ptr<Options> declare(Args& args, std::uint32_t trials) {
  auto options = std::make_shared<Options>();
  options->trials = trials;
  args.option("--nodes", "N", options->nodes, "nodes of the ring");
  args.option("--tokens", "V,…",
              Args::Setter([options](const std::string& text) { return read_tokens(options->tokens, text); }),
              "tokens a node; several give one row each");
  args.option("--trials", "N", options->trials, "random rings for each row (" + std::to_string(trials) + ")");
  args.option("--seed", "N", options->seed, "seed of the random rings (1)");
  return options;
}

std::optional<Error> refused(const Options& o) {
  if (!o.nodes) return usage_error("", "--nodes is missing", "how many nodes has the ring?");
  if (o.tokens.empty())
    return usage_error("", "--tokens is missing", "how many tokens has a node? For example 1,16,256");
  for (std::uint32_t v : o.tokens) {
    const double points = static_cast<double>(*o.nodes) * v * *o.trials;
    if (*o.nodes > 1'000'000 || static_cast<double>(*o.nodes) * v > 1e8 ||
        points > static_cast<double>(most_points))
      return usage_error(std::to_string(v), "nodes × tokens × trials is too much to simulate",
                         "take fewer of them");
  }
  return std::nullopt;
}

std::string ratio(double value) {
  return value != 0 && value < 0.1 ? fmt::format("{:.4f}", value) : fmt::format("{:.2f}", value);
}

template <class Row, class Simulate>
std::vector<Row> rows_of(const Options& o, Simulate simulate) {
  std::vector<Row> rows;
  for (std::uint32_t v : o.tokens) rows.push_back(simulate(*o.nodes, v, *o.trials, o.seed));
  return rows;
}

template <class Row>
std::string json_answer(const char* scenario, const std::vector<Row>& rows) {
  Json json = answer("simulate");
  json["scenario"] = scenario;
  if (rows.size() == 1) {
    json.update(to_json(rows[0]));
  } else {
    json["rows"] = Json::array();
    for (const Row& r : rows) json["rows"].push_back(to_json(r));
  }
  return dump(json);
}

std::string heading(const Options& o, const char* what, bool colour) {
  return toned(counted(*o.nodes, "node", "nodes"), Tone::strong, colour) + what +
         counted(*o.trials, "random ring", "random rings") + " a row, seed " + std::to_string(o.seed) + '\n';
}

constexpr std::size_t most_rings = 50;

// Probes bound the largest share only, so the smallest of every ring is shown while there are not too many.
Notes probe_notes(const Options& o, const std::vector<BalanceSimulation>& rows) {
  Notes notes;
  notes.line("probes", std::to_string(o.probes) + " a key, which takes the nearest token; exact shares");
  notes.line("max/mean", "theory 1 + 1/(probes − 1), for many nodes");
  for (const BalanceSimulation& s : rows) {
    if (s.min_over_mean.size() > most_rings) continue;
    std::string all;
    for (double smallest : s.min_over_mean) all += (all.empty() ? "" : " ") + fmt::format("{:.3f}", smallest);
    notes.line(
        "min/mean",
        "of each ring" + (rows.size() > 1 ? ", tokens " + counted(s.tokens) : std::string()) + ": " + all);
  }
  return notes;
}

std::string balance_text(const Options& o, const std::vector<BalanceSimulation>& rows, bool colour) {
  Table table({{"tokens", true},
               {"max/mean", true},
               {"theory", true},
               {"p95", true},
               {"min/mean", true},
               {"p5", true},
               {"spread", true},
               {"theory", true},
               {"max/min, median", true}});
  bool approximate = false;
  for (const BalanceSimulation& s : rows) {
    approximate |= !s.max_formula_exact;
    table.row({counted(s.tokens), ratio(s.max_over_mean_mean),
               (s.max_formula_exact ? "" : "≈ ") + ratio(s.max_formula), ratio(s.max_over_mean_p95),
               ratio(s.min_over_mean_mean), ratio(s.min_over_mean_p5),
               fmt::format("{:.4f}", s.stddev_over_mean_mean),
               s.probes > 1 ? "–" : fmt::format("{:.4f}", s.spread_formula), ratio(s.max_over_min_median)});
  }
  if (o.probes > 1)
    return heading(o, ", ", colour) + '\n' + table.text(colour) + '\n' + probe_notes(o, rows).text(colour);
  Notes notes;
  notes.line("spread", "standard deviation of a node's share over its mean; theory √((N−1)/(N·V+1)), exact");
  if (rows.front().max_formula_exact || !approximate)
    notes.line("max/mean", "theory for one token: 1 + 1/2 + … + 1/N, exact");
  if (approximate) notes.line("", "theory for more tokens: 1 + √(2 ln N / V), a rule of thumb");
  return heading(o, ", ", colour) + '\n' + table.text(colour) + '\n' + notes.text(colour);
}

std::string join_text(const Options& o, const std::vector<JoinSimulation>& rows, bool colour) {
  Table table({{"tokens", true},
               {"joiner's share", true},
               {"p5", true},
               {"p95", true},
               {"above 2× fair", true},
               {"below 0.1× fair", true},
               {"donors", true},
               {"moves", true}});
  for (const JoinSimulation& s : rows)
    table.row({counted(s.tokens), times(s.share_mean), times(s.share_p5), times(s.share_p95),
               per_cent(s.above_twice_fair), per_cent(s.below_tenth_fair),
               fmt::format("{:.1f}", s.donors_mean), per_cent(s.moved_share_mean)});
  Notes notes;
  notes.line("fair", "1/" + std::to_string(*o.nodes + 1) + " of hash space, " +
                         per_cent(1.0 / (*o.nodes + 1.0)) +
                         "; the joiner's share is given in multiples of it");
  return heading(o, " and one that joins, ", colour) + '\n' + table.text(colour) + '\n' + notes.text(colour);
}

}  // namespace

Action declare_simulate_balance(Args& args) {
  auto options = declare(args, 200);
  args.option("--probes", "K",
              Args::Setter([options](const std::string& text) { return read_probes(options->probes, text); }),
              "probes a key, which takes the nearest token: multi-probe (1: a ring)");
  return [options](Session& session) -> Result<int> {
    if (auto error = refused(*options)) return *error;
    const auto rows = rows_of<BalanceSimulation>(
        *options, [&](auto... with) { return simulate_balance(with..., options->probes); });
    session.out.write(session.json ? json_answer("balance", rows)
                                   : balance_text(*options, rows, session.colour));
    return 0;
  };
}

Action declare_simulate_join(Args& args) {
  auto options = declare(args, 10'000);
  return [options](Session& session) -> Result<int> {
    if (auto error = refused(*options)) return *error;
    const auto rows = rows_of<JoinSimulation>(*options, simulate_join);
    session.out.write(session.json ? json_answer("join", rows) : join_text(*options, rows, session.colour));
    return 0;
  };
}

}  // namespace arcwise::cli
