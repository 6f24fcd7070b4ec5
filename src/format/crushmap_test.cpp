#include "format/crushmap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "format/import_testing.hpp"
#include "place/crush.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

const std::string tunables =
    "# begin crush map\ntunable choose_local_tries 0\ntunable choose_local_fallback_tries 0\n"
    "tunable choose_total_tries 50\ntunable chooseleaf_descend_once 1\ntunable chooseleaf_vary_r 1\n"
    "tunable chooseleaf_stable 1\n";
const std::string types = "type 0 osd\ntype 1 host\ntype 2 rack\ntype 3 datacenter\ntype 4 root\n";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5f", value);
  return text;
}

// Buckets of a tree, lowest first, as crushtool writes them.
class TreeText {
 public:
  void add(const std::vector<std::pair<std::string, std::string>>& path, const std::string& device,
           double weight) {
    for (std::size_t depth = 0; depth < path.size(); ++depth) {
      auto [at, fresh] = buckets_.emplace(path[depth].second, Bucket{path[depth].first, {}, 0});
      if (fresh) order_.insert(order_.begin(), path[depth].second);
      Bucket& bucket = at->second;
      bucket.weight += weight;
      const std::string child = depth + 1 < path.size() ? path[depth + 1].second : device;
      if (std::find(bucket.items.begin(), bucket.items.end(), child) == bucket.items.end())
        bucket.items.push_back(child);
    }
    devices_[device] = weight;
  }
  std::string text(const Json& ids) const {
    std::string out;
    std::set<std::string> written;
    while (written.size() < order_.size())
      for (const std::string& name : order_) {
        const Bucket& bucket = buckets_.at(name);
        const bool ready =
            std::all_of(bucket.items.begin(), bucket.items.end(),
                        [&](const std::string& item) { return devices_.count(item) || written.count(item); });
        if (!ready || !written.insert(name).second) continue;
        out += bucket.type + " " + name + " {\n\tid " + ids.at(name).dump() +
               "\t# do not change\n\talg straw2\n\thash 0\n";
        for (const std::string& item : bucket.items)
          out += "\titem " + item + " weight " +
                 number(devices_.count(item) ? devices_.at(item) : buckets_.at(item).weight) + "\n";
        out += "}\n";
      }
    return out;
  }

 private:
  struct Bucket {
    std::string type;
    std::vector<std::string> items;
    double weight;
  };
  std::map<std::string, Bucket> buckets_;
  std::vector<std::string> order_;
  std::map<std::string, double> devices_;
};

std::string rule(const std::string& steps, const std::string& name = "replicated_rule") {
  return "rule " + name + " {\n\tid 0\n\ttype replicated\n" + steps + "}\n";
}

// A vector file's tree and rule as a CRUSH map in text.
std::string as_crushmap(const Json& file) {
  std::string out = tunables;
  TreeText tree;
  for (const Json& n : file["nodes"]) {
    out += "device " + n["bucket"].dump() + " " + n["name"].get<std::string>() + "\n";
    std::vector<std::pair<std::string, std::string>> path{{"root", "default"}};
    const auto level = [&](const char* type, const char* field) {
      if (!n[field].get<std::string>().empty()) path.emplace_back(type, n[field]);
    };
    level("datacenter", "zone");
    level("rack", "rack");
    level("host", "host");
    tree.add(path, n["name"], n["weight"]);
  }
  Json ids = file["bucket_ids"];
  if (!ids.contains("default")) ids["default"] = -1;
  const std::map<std::string, std::string> names{
      {"node", "osd"}, {"host", "host"}, {"rack", "rack"}, {"zone", "datacenter"}};
  const std::string type = names.at(file["across"]);
  std::string steps;
  const auto take = [&](const std::string& bucket, const Json& count) {
    steps += "\tstep take " + bucket + "\n\tstep chooseleaf firstn " + count.dump() + " type " + type +
             "\n\tstep emit\n";
  };
  if (file["per_zone"].empty()) take("default", file["count"]);
  for (const auto& [zone, count] : file["per_zone"].items()) take(zone, count);
  return out + types + tree.text(ids) + rule(steps) + "# end crush map\n";
}

// What crushtool 16.2.15 answered for each tree.
TEST(crushmap, written_as_text_every_vector_tree_chooses_what_crushtool_chose) {
  const std::vector<std::string> cases{"equal-hosts", "hosts-under-racks",      "osds",
                                       "per-zone",    "racks-attempts-run-out", "racks",
                                       "reweighted",  "uneven-hosts",           "zones"};
  for (const std::string& name : cases) {
    const Json file = Json::parse(file_bytes("vectors/ceph-crush-map-" + name + ".json"));
    const Source source{name, as_crushmap(file)};
    EXPECT_EQ(recognise(source.bytes), "crushmap");
    ClusterMap::Parts parts = imported({source}).map.parts();
    std::string reweights;  // not in a CRUSH map
    for (const auto& [device, weight] : file["reweight"].items())
      reweights += device + "=" + weight.dump() + " ";
    if (!reweights.empty()) parts.placement.settings["reweight"] = reweights;
    const ClusterMap map = *ClusterMap::build(parts);
    const CrushTree tree = crush_tree(map);
    constexpr std::array levels{CrushType::osd, CrushType::host, CrushType::rack, CrushType::zone};
    const CrushType type = levels[static_cast<std::size_t>(map.replicas().across)];
    for (std::uint32_t x = 0; x < file["mappings"].size(); ++x) {
      std::vector<std::uint64_t> found;
      const auto take = [&](std::uint32_t bucket, std::uint32_t count) {
        std::vector<std::uint32_t> devices(count);
        devices.resize(crush_firstn(tree, bucket, type, x, devices));
        for (const std::uint32_t d : devices) found.push_back(static_cast<std::uint64_t>(tree.devices[d].id));
      };
      if (map.replicas().per_zone.empty()) take(0, map.replicas().count);
      for (std::size_t z = 0; z < map.replicas().per_zone.size(); ++z)
        take(tree.buckets[0].items[z].child, map.replicas().per_zone[z].count);
      ASSERT_EQ(found, file["mappings"][x].get<std::vector<std::uint64_t>>()) << name << " x " << x;
    }
  }
}

std::string small(const std::string& steps) {
  return tunables + "device 0 osd.0 class hdd\ndevice 1 osd.1 class ssd\ndevice 2 osd.2 class hdd\n" + types +
         "host a {\n\tid -2\n\tid -12 class hdd\n\tid -22 class ssd\n\talg straw2\n\thash 0\n\titem osd.0 "
         "weight 1.0\n"
         "\titem osd.1 weight 2.0\n}\n"
         "host b {\n\tid -3\n\tid -13 class hdd\n\tid -23 class ssd\n\talg straw2\n\thash 0\n\titem osd.2 "
         "weight 4.0\n}\n"
         "root default {\n\tid -1\n\talg straw2\n\thash 0\n\titem a weight 3.0\n\titem b weight 4.0\n}\n" +
         rule(steps);
}
const std::string plain = "\tstep take default\n\tstep chooseleaf firstn 0 type host\n\tstep emit\n";

TEST(crushmap, a_sample_of_crushtool_is_read_and_what_it_does_not_say_is_a_finding) {
  const Cluster cluster = imported({sample("ceph/crush-map.txt")});
  EXPECT_EQ(cluster.map.placement().recipe->name, "ceph");
  EXPECT_EQ(cluster.map.replicas().across, Across::host);
  EXPECT_EQ(findings(cluster, "pool-unknown").size(), 1U);
  EXPECT_EQ(imported({sample("ceph/crush-map.txt")}, replicas(2)).map.replicas().count, 2U);
}

TEST(crushmap, a_device_class_takes_its_shadow_tree) {
  const Cluster cluster = imported(
      {{"x", small("\tstep take default class hdd\n\tstep chooseleaf firstn 0 type host\n\tstep emit\n")}});
  EXPECT_EQ(cluster.map.nodes().size(), 2U);
  EXPECT_EQ(cluster.map.placement().text("bucket_ids"), "a=-12 b=-13");
  EXPECT_EQ(imported({{"x", small(plain)}}).map.placement().text("bucket_ids"), "a=-2 b=-3");
}

TEST(crushmap, of_several_rules_pool_chooses_one) {
  const std::string two =
      small(plain) + rule("\tstep take b\n\tstep choose firstn 1 type osd\n\tstep emit\n", "only_b");
  EXPECT_THAT(refused({{"x", two}}).advice, HasSubstr("replicated_rule, only_b"));
  EXPECT_THAT(refused({{"x", two}}, pool("none")).why, HasSubstr("no rule of this name"));
  EXPECT_EQ(imported({{"x", two}}, pool("replicated_rule")).map.nodes().size(), 3U);
}

TEST(crushmap, what_the_recipe_cannot_express_is_refused_by_name) {
  const auto why = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return refused({{"x", text}}).why;
  };
  const std::string good = small(plain);
  EXPECT_THAT(why(good, "straw2", "list"), HasSubstr("bucket kind"));
  EXPECT_THAT(why(good, "firstn", "indep"), HasSubstr("erasure"));
  EXPECT_THAT(why(good, "tunable chooseleaf_stable 1\n", ""), HasSubstr("jewel"));
  EXPECT_THAT(why(good, "choose_total_tries 50", "choose_total_tries 100"), HasSubstr("jewel"));
  EXPECT_THAT(why(good, "type replicated", "type erasure"), HasSubstr("replicated"));
  EXPECT_THAT(why(good, "\tstep take default\n", "\tstep set_choose_tries 100\n\tstep take default\n"),
              HasSubstr("step"));
  EXPECT_THAT(why(good, "type host\n\tstep emit", "type rack\n\tstep emit"), HasSubstr("not a level"));
  EXPECT_THAT(why(good, "item a weight 3.0", "item a weight 5.0"), HasSubstr("sum"));
  EXPECT_THAT(why(good, "rule replicated_rule", "choose_args 0 {\n}\nrule replicated_rule"),
              HasSubstr("choose_args"));
  EXPECT_THAT(why(good, "step take default", "step take a"), HasSubstr("level of hosts"));
}

}  // namespace
}  // namespace arcwise
