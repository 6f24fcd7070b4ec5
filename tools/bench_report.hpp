// Benchmarks of this project: every method in one process, interleaved, medians, ratios to a named peer.
#pragma once

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
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

/// One row a method: its median time and how many times the peer's it is.
class Comparison {
 public:
  Comparison(std::string peer, std::function<void()> run_peer) : peer_(peer) { add(std::move(peer), std::move(run_peer)); }

  void add(std::string name, std::function<void()> run) { methods_.push_back({std::move(name), std::move(run), {}}); }
  void note(std::string name, double value, std::string unit) { notes_.push_back({std::move(name), value, std::move(unit)}); }

  /// Rounds are interleaved, so that a slow phase of the machine meets every method.
  void run(int rounds) {
    for (int r = 0; r < rounds; ++r)
      for (Method& m : methods_) {
        const auto start = std::chrono::steady_clock::now();
        m.run();
        m.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      }
  }

  int print(bool json) {
    const double base = median(methods_.front().seconds);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (Method& m : methods_) {
      const double value = median(m.seconds) * 1e3;
      const double ratio = value / 1e3 / base;
      if (json)
        rows.push_back({{"name", m.name}, {"value", value}, {"unit", "ms"}, {"against", peer_}, {"ratio", ratio}});
      else
        fmt::print("{:<44} {:>10.2f} ms {:>8.2f} x {}\n", m.name, value, ratio, peer_);
    }
    for (const Note& n : notes_) {
      if (json)
        rows.push_back({{"name", n.name}, {"value", n.value}, {"unit", n.unit}, {"against", nullptr}, {"ratio", nullptr}});
      else
        fmt::print("{:<44} {:>10.2f} {}\n", n.name, n.value, n.unit);
    }
    if (json)
      fmt::print("{}\n", nlohmann::ordered_json{{"schema", "arcwise/bench/v1"}, {"machine", machine()}, {"rows", rows}}.dump(2));
    else
      fmt::print("machine: {}; medians of interleaved rounds\n", machine());
    return 0;
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
  std::vector<Method> methods_;
  std::vector<Note> notes_;
};

}  // namespace arcwise::bench
