#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "place/methods.hpp"
#include "place/ring.hpp"
#include "place/testing.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t last = 99;

// Each rule by trying every token, as its system's own words put it.
NodeIndex by_definition(const std::vector<RingPoint>& points, LookupRule rule, std::uint64_t hash) {
  const auto ahead = [&](u128 from, u128 to) {
    return static_cast<int>((to + last + 1 - from) % (last + 1));
  };
  const RingPoint* best = nullptr;
  int nearest = 1000;
  for (const RingPoint& p : points) {
    int distance = 0;
    switch (rule) {
      case LookupRule::at_or_after:
        distance = 2 * ahead(hash, p.token.value);
        break;
      case LookupRule::after:
        distance = 2 * ahead(hash + 1, p.token.value);
        break;
      case LookupRule::at_or_before:
        distance = 2 * ahead(p.token.value, hash);
        break;
      case LookupRule::nearest:
        distance = std::min(2 * ahead(p.token.value, hash), 2 * ahead(hash, p.token.value) + 1);
        break;
    }
    if (distance < nearest) {
      nearest = distance;
      best = &p;
    }
  }
  return best->node;
}

RC_GTEST_PROP(lookup_rule, one_search_answers_as_each_rule_is_defined, ()) {
  const auto rule = *rc::gen::element(LookupRule::at_or_after, LookupRule::after, LookupRule::at_or_before,
                                      LookupRule::nearest);
  auto tokens = *rc::gen::nonEmpty(
      rc::gen::unique<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, last + 1)));
  std::sort(tokens.begin(), tokens.end());
  std::vector<RingPoint> points;
  RingOrder<std::uint64_t> order{tokens, {}};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    points.push_back({{tokens[i]}, static_cast<NodeIndex>(i)});
    order.nodes.push_back(static_cast<NodeIndex>(i));
  }
  const TokenRing<std::uint64_t, RingLine> ring(order, rule, last);
  for (std::uint64_t hash = 0; hash <= last; ++hash)
    RC_ASSERT(ring.first({hash}) == by_definition(points, rule, hash));
  Share sum;
  for (std::size_t r = 0; r < ring.region_count(); ++r) sum += share_of({last}, ring.region(r));
  RC_ASSERT(sum == Share::whole());
  std::vector<std::uint64_t> kept;
  for (std::size_t i = 0; i < ring.entry_count(); ++i)
    kept.push_back(static_cast<std::uint64_t>(ring.entry(i).token.value));
  std::sort(kept.begin(), kept.end());
  RC_ASSERT(kept == tokens);
}

TEST(methods, every_recipe_names_a_method_that_exists) {
  for (const Recipe& r : recipes()) {
    EXPECT_NE(find_method(r.method), nullptr) << r.name;
    EXPECT_EQ(find_recipe(r.name), &r) << "two rows are named " << r.name;
  }
}

TEST(labels, port_11211_is_dropped_where_the_system_drops_it) {
  const auto label = [](const char* name) {
    return testing::map_of(testing::parts("twemproxy-ketama", {testing::node(name)})).nodes()[0].label;
  };
  EXPECT_EQ(label("10.0.0.1:11211"), "10.0.0.1");
  EXPECT_EQ(label("10.0.0.1:11212"), "10.0.0.1:11212");
  EXPECT_EQ(label("alpha"), "alpha");
  EXPECT_EQ(label(":11211"), ":11211");
}

}  // namespace
}  // namespace arcwise
