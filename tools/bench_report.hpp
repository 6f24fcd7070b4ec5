// Benchmarks of this project: every method in one process, interleaved, medians, ratios to a named peer.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace arcwise::bench {

inline std::string machine() {
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

/// How long this thread has run: what else runs on the machine would count against the longer methods only,
/// which it interrupts in most rounds.
inline double seconds_run() {
  std::timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// One row a method: its median time, and how it compares with the peer's. Studies are told as a multiple of
/// the peer's time, in ms; lookups, which `per_operation` divides by their number, as how many times as fast,
/// in ns.
class Comparison {
 public:
  Comparison(std::string peer, std::function<void()> run_peer, std::size_t per_operation = 0)
      : peer_(peer), operations_(per_operation) {
    add(std::move(peer), std::move(run_peer));
  }

  void add(std::string name, std::function<void()> run) {
    methods_.push_back({std::move(name), std::move(run), {}});
  }
  void note(std::string name, double value, std::string unit) {
    notes_.push_back({std::move(name), value, std::move(unit)});
  }

  /// Two seconds of it all: a processor that was at rest is slower at first, also with wide vectors.
  void warm_up() {
    for (const double start = seconds_run(); seconds_run() - start < 2;)
      for (Method& m : methods_) m.run();
  }
  /// Rounds are interleaved, so that a slow phase of the machine meets every method.
  void run(int rounds) {
    for (int r = 0; r < rounds; ++r)
      for (Method& m : methods_) {
        const double start = seconds_run();
        m.run();
        m.seconds.push_back(seconds_run() - start);
      }
  }

  /// Prints the rows, or adds them to `rows`.
  void print(nlohmann::ordered_json* rows) {
    const double base = median(methods_.front().seconds);
    for (Method& m : methods_) {
      const double seconds = median(m.seconds);
      const double value = operations_ ? seconds / static_cast<double>(operations_) * 1e9 : seconds * 1e3;
      const double ratio = operations_ ? base / seconds : seconds / base;
      const char* unit = operations_ ? "ns" : "ms";
      if (rows)
        rows->push_back(
            {{"name", m.name}, {"value", value}, {"unit", unit}, {"against", peer_}, {"ratio", ratio}});
      else
        fmt::print("{:<52} {:>9.2f} {} {:>8.2f} {} {}\n", m.name, value, unit, ratio,
                   operations_ ? "times as fast as" : "x", peer_);
    }
    for (const Note& n : notes_) {
      if (rows)
        rows->push_back({{"name", n.name},
                         {"value", n.value},
                         {"unit", n.unit},
                         {"against", nullptr},
                         {"ratio", nullptr}});
      else
        fmt::print("{:<52} {:>9.2f} {}\n", n.name, n.value, n.unit);
    }
  }

 private:
  struct Method {
    std::string name;
    std::function<void()> run;
    std::vector<double> seconds;
  };
  struct Note {
    std::string name;
    double value;
    std::string unit;
  };
  static double median(std::vector<double>& v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  }

  std::string peer_;
  std::size_t operations_;
  std::vector<Method> methods_;
  std::vector<Note> notes_;
};

/// What every benchmark's main() is about: its options, and the comparisons with their headings.
/// --json: for programs. --smoke: once and small, to see that it works; its figures say nothing.
class Report {
 public:
  Report(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view option = argv[i];
      json_ |= option == "--json";
      smoke_ |= option == "--smoke";
      if (option == "--json" || option == "--smoke") continue;
      fmt::print(stderr, "{}: unknown option '{}'; there are --json and --smoke\n", argv[0], option);
      std::exit(2);
    }
  }
  bool smoke() const { return smoke_; }
  /// Runs and prints.
  void add(std::string_view heading, Comparison& comparison, int rounds) {
    if (first_ && !smoke_) comparison.warm_up();
    comparison.run(smoke_ ? 1 : rounds);
    add(heading, comparison);
  }
  void add(std::string_view heading, Comparison& comparison) {
    if (!json_) fmt::print("{}{}\n", first_ ? "" : "\n", heading);
    first_ = false;
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    comparison.print(json_ ? &rows : nullptr);
    for (auto& row : rows) {
      row["name"] = std::string(heading) + ": " + std::string(row["name"]);
      rows_.push_back(std::move(row));
    }
  }
  /// Rows of one's own under a heading.
  void heading(const std::string& text) {
    if (!json_) fmt::print("{}{}\n", first_ ? "" : "\n", text);
    first_ = false;
    heading_ = text;
  }
  void row(const std::string& name, double value, const std::string& unit, const std::string& against, double ratio) {
    if (!json_) fmt::print("{:<52} {:>11.2f} {:<2} {:>8.2f} x {}\n", name, value, unit, ratio, against);
    rows_.push_back({{"name", heading_ + ": " + name}, {"value", value}, {"unit", unit}, {"against", against}, {"ratio", ratio}});
  }
  /// A figure that is not a time, under a heading of its own where there is one.
  void figure(std::string_view heading, std::string name, double value) {
    if (!heading.empty() && !json_) fmt::print("{}{}\n", first_ ? "" : "\n", heading);
    first_ = false;
    if (!json_) fmt::print("{:<64} {:>7.4f}\n", name, value);
    rows_.push_back({{"name", std::move(name)}, {"value", value}, {"unit", ""}, {"against", nullptr}, {"ratio", nullptr}});
  }
  void close(std::uint64_t seed) const {
    if (json_)
      fmt::print("{}\n", nlohmann::ordered_json{{"schema", "arcwise/bench/v1"},
                                                {"machine", machine()},
                                                {"seed", std::to_string(seed)},
                                                {"rows", rows_}}
                             .dump(2));
    else
      fmt::print("\nmachine: {}; seed {}; medians of interleaved rounds\n", machine(), seed);
  }

 private:
  bool json_ = false;
  bool smoke_ = false;
  bool first_ = true;
  std::string heading_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

/// Something the compiler may not do away with.
inline void keep(std::uint64_t value) {
  asm volatile("" : : "r"(value) : "memory");
}

}  // namespace arcwise::bench
