// Hashes of many keys at once are those of one at a time: with every instruction set, whatever a recipe does
// to keys before MD5 and to positions after it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "hash/isa.hpp"
#include "place/testing.hpp"

namespace arcwise {
namespace {

using testing::map_of;
using testing::parts;

std::vector<Node> three() {
  return {testing::node("10.0.0.1:11211"), testing::node("10.0.0.2:11211"), testing::node("10.0.0.3:11211")};
}

ClusterMap::Parts by_md5(std::string_view recipe, KeyHashId hash = KeyHashId::md5_ketama) {
  auto p = parts(recipe, three());
  p.placement.hash = hash;
  return p;
}

ClusterMap::Parts slots_by_md5(std::uint64_t slots) {
  auto p = by_md5("ranges", KeyHashId::md5);
  p.placement.slots = slots;
  p.placement.table = {{{slots / 2}, {0}}, {{slots - 1}, {1, 2}}};
  return p;
}

ClusterMap::Parts with(ClusterMap::Parts p, const std::string& setting, const std::string& value) {
  p.placement.settings[setting] = value;
  return p;
}

ClusterMap::Parts tagged(ClusterMap::Parts p) {
  p.placement.hash_tag = "{}";
  return p;
}

/// Everything that a recipe can do around MD5.
std::vector<Placement> placements() {
  std::vector<Placement> out;
  for (ClusterMap::Parts& p : std::vector<ClusterMap::Parts>{
           by_md5("libmemcached-ketama-weighted"), by_md5("libmemcached-modula"),
           with(by_md5("libmemcached-consistent"), "prefix", "app:"), by_md5("twemproxy-ketama"),
           tagged(by_md5("twemproxy-ketama")), by_md5("ring", KeyHashId::md5),
           by_md5("maglev", KeyHashId::md5), by_md5("uhashring", KeyHashId::md5_128), slots_by_md5(4096),
           slots_by_md5(1000), tagged(by_md5("ring", KeyHashId::md5)), by_md5("ring", KeyHashId::xxh3)})
    out.push_back(compile(map_of(std::move(p))));
  return out;
}

bool alike(const Placement& placement, const std::vector<std::string>& keys) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  constexpr std::uint64_t untouched = 0x5eed;
  for (const Isa most : {Isa::plain, Isa::vector128, Isa::avx2, Isa::avx512}) {
    std::vector<std::uint64_t> positions(keys.size() + 1, untouched);
    limit_isa(most);
    placement.hash(views, positions);
    limit_isa(Isa::avx512);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (positions[i] != static_cast<std::uint64_t>(placement.hash(keys[i]).value)) return false;
    if (positions.back() != untouched) return false;
  }
  return true;
}

TEST(hash_of_many, is_the_hash_of_each_for_keys_alike_and_for_none) {
  for (const Placement& placement : placements()) {
    EXPECT_TRUE(alike(placement, {}));
    EXPECT_TRUE(alike(placement, std::vector<std::string>(130, std::string("user:000000000001234"))));
    EXPECT_TRUE(alike(placement, std::vector<std::string>(67)));
  }
}

RC_GTEST_PROP(hash_of_many, is_the_hash_of_each, ()) {
  static const std::vector<Placement> all = placements();
  const auto piece = rc::gen::container<std::string>(rc::gen::element('{', '}', 'a', '0', '\xe9', '\0'));
  std::vector<std::string> keys;
  const auto count = *rc::gen::inRange<std::size_t>(0, 80);
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back(*piece);
    keys.back().resize(keys.back().size() + *rc::gen::inRange<std::size_t>(0, i % 2 ? 30 : 200), 'x');
  }
  for (const Placement& placement : all) RC_ASSERT(alike(placement, keys));
}

}  // namespace
}  // namespace arcwise
