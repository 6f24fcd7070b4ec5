// How even a ring of one copy could stay that grows unit by unit, if sizes were all there is to it.
//
// A linear program, solved by GLPK. Each joiner relieves as many units as it has tokens, those that waited
// longest, of any part of what they hold: where their ranges lie, and how long each is, plays no part. No
// allocator that serves units in turns stays below the value.
#pragma once

#include <glpk.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace arcwise::bench {

struct GrowthBound {
  std::uint32_t tokens = 16;
  std::uint32_t from = 4, upto = 34;  ///< sizes that count, in units
  double least = 0;                   ///< of what is fair: no unit may hold less
};

class GrowthProgram {
 public:
  explicit GrowthProgram(const GrowthBound& bound) : bound_(bound), lp_(glp_create_prob()) {
    glp_term_out(GLP_OFF);
    glp_set_obj_dir(lp_, GLP_MIN);
    most_ = column();
    glp_set_obj_coef(lp_, most_, 1);
  }
  GrowthProgram(const GrowthProgram&) = delete;
  GrowthProgram& operator=(const GrowthProgram&) = delete;
  ~GrowthProgram() { glp_delete_prob(lp_); }

  /// The worst of the largest over what is fair.
  double solve() {
    std::deque<Held> queue{{column(), 1}};
    row({{queue[0].column, 1}}, GLP_FX, 1);
    for (std::uint32_t units = 2; units <= bound_.upto; ++units) join(queue, units);
    for (const Held& held : queue) judge(held, bound_.upto);
    glp_simplex(lp_, nullptr);
    return glp_get_obj_val(lp_);
  }

 private:
  struct Held {
    int column;
    std::uint32_t since;  ///< of how many units the ring had when it came to hold this
  };
  using Terms = std::vector<std::pair<int, double>>;

  // What those served give up is what the joiner takes; none of them gains.
  void join(std::deque<Held>& queue, std::uint32_t units) {
    const std::size_t served = std::min<std::size_t>(bound_.tokens, queue.size());
    Terms balance;
    for (std::size_t i = 0; i < served; ++i) {
      const Held was = queue.front();
      queue.pop_front();
      judge(was, units - 1);
      const Held is{column(), units};
      row({{is.column, 1}, {was.column, -1}}, GLP_UP, 0);
      balance.insert(balance.end(), {{is.column, 1}, {was.column, -1}});
      queue.push_back(is);
    }
    queue.push_back({column(), units});
    balance.emplace_back(queue.back().column, 1);
    row(balance, GLP_FX, 0);
  }

  // Largest against what is fair when the ring is largest, smallest when it is smallest.
  void judge(const Held& held, std::uint32_t last) {
    if (last < bound_.from) return;
    row({{held.column, 1}, {most_, -1.0 / last}}, GLP_UP, 0);
    row({{held.column, 1}}, GLP_LO, bound_.least / std::max(held.since, bound_.from));
  }

  int column() {
    const int out = glp_add_cols(lp_, 1);
    glp_set_col_bnds(lp_, out, GLP_LO, 0, 0);
    return out;
  }
  void row(const Terms& terms, int kind, double bound) {
    std::vector<int> at{0};  // GLPK counts from 1
    std::vector<double> factor{0};
    for (const auto& [column, value] : terms) {
      at.push_back(column);
      factor.push_back(value);
    }
    const int out = glp_add_rows(lp_, 1);
    glp_set_row_bnds(lp_, out, kind, bound, bound);
    glp_set_mat_row(lp_, out, static_cast<int>(terms.size()), at.data(), factor.data());
  }

  GrowthBound bound_;
  glp_prob* lp_;
  int most_ = 0;
};

inline double growth_bound(const GrowthBound& bound) {
  return GrowthProgram(bound).solve();
}

}  // namespace arcwise::bench
