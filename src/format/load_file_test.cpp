#include "format/load_file.hpp"

#include <gtest/gtest.h>

#include "place/testing.hpp"

namespace arcwise {
namespace {

constexpr u128 top = ~std::uint64_t{0};

ClusterMap ranges() {
  auto p = testing::parts("ranges", {testing::node("a"), testing::node("b")});
  p.placement.table = {{{0xff}, {0}}, {{top}, {1}}};
  return testing::map_of(std::move(p));
}

ClusterMap slots() {
  auto p = testing::parts("redis-cluster", {testing::node("a"), testing::node("b")});
  p.placement.slots = 16384;
  p.placement.table = {{{8191}, {0}}, {{16383}, {1}}};
  return testing::map_of(std::move(p));
}

Result<UnitLoads> read(const ClusterMap& map, std::vector<std::string> texts) {
  std::vector<Source> sources;
  for (std::string& text : texts) sources.push_back({"load", std::move(text)});
  return parse_unit_loads(sources, map);
}

std::string fault(const ClusterMap& map, const std::string& text) {
  const auto loads = read(map, {text});
  return loads ? "" : to_string(loads.error());
}

TEST(UnitLoads, with_blanks_tabs_commas_and_headers_are_the_same) {
  for (const char* text : {"# measured at noon\nff 1.5kB 20\nffffffffffffffff 7 0.5\n",
                           "00000000000000ff\t1500\t20\nffffffffffffffff\t7\t0.5",
                           "upto,bytes,requests\r\nff,1.5 kB,20\r\nffffffffffffffff,7,0.5\r\n",
                           "requests range keys size\n20 ff 3 1500\n5e-1 ffffffffffffffff 1 7\n"}) {
    const auto loads = read(ranges(), {text});
    ASSERT_TRUE(loads.ok()) << text << to_string(loads.error());
    EXPECT_EQ(loads->listed, 2u);
    EXPECT_EQ(loads->units[0].bytes, 1500) << text;
    EXPECT_EQ(loads->units[0].requests, 20);
    EXPECT_EQ(loads->units[1].bytes, 7);
    EXPECT_EQ(loads->units[1].requests, 0.5);
    EXPECT_EQ(loads->requests, "requests");
  }
}

TEST(UnitLoads, faults_name_the_line_and_what_to_write) {
  EXPECT_EQ(
      fault(ranges(), "ff 1 2\nfe 1 2\n"),
      "load:2:1: the map has no such range: \"fe\"; name a range by its end, as `arcwise ranges` lists them "
      "under upto");
  EXPECT_EQ(fault(ranges(), "ff 1 2\nff 1 2\n"), "load:2:1: it is listed twice: \"ff\"; give each one line");
  EXPECT_EQ(fault(ranges(), "ff 1 -2\n"),
            "load:1:6: not a number from 0 to 1e18: \"-2\"; write 12000, 12k or 3.5GB");
  EXPECT_EQ(fault(ranges(), "ff 1 1e300\n"),
            "load:1:6: not a number from 0 to 1e18: \"1e300\"; write 12000, 12k or 3.5GB");
  EXPECT_EQ(
      fault(ranges(), "\nff 1\n"),
      "load:2:1: 2 columns where there should be 3: \"ff 1\"; write RANGE BYTES REQUESTS, or a header line "
      "that names these columns");
  EXPECT_EQ(fault(ranges(), "range keys\n"),
            "load:1:1: no column of bytes or requests: \"range keys\"; call one bytes, or one requests");
  EXPECT_EQ(
      fault(ranges(), "bytes requests\n"),
      "load:1:1: no column says which range: \"bytes requests\"; call one range, slot, partition or upto");
  EXPECT_EQ(fault(ranges(), "# nothing\n"),
            "load: no load is listed; write RANGE BYTES REQUESTS, or a header line that names these columns");
  EXPECT_EQ(fault(slots(), "16384 1 2\n"),
            "load:1:1: the map has no such slot: \"16384\"; this map has slots 0 to 16383");
  EXPECT_EQ(fault(ranges(), "ff\t1\t2\x01\n"),
            "load:1:7: a control character: \"\\x01\"; save the output as plain UTF-8 text");
}

TEST(UnitLoads, of_slots_are_read_as_redis_cli_prints_them) {
  const std::string terminal =
      "1) 1) (integer) 5\n   2) 1) \"key-count\"\n      2) (integer) 3\n      3) \"cpu-usec\"\n      4) "
      "(integer) 70\n"
      "      5) \"memory-bytes\"\n      6) (integer) 900\n"
      "2) 1) (integer) 6\n   2) 1) \"key-count\"\n      2) (integer) 0\n      3) \"cpu-usec\"\n      4) "
      "(integer) 0\n"
      "      5) \"memory-bytes\"\n      6) (integer) 0\n";
  const std::string raw =
      "5\nkey-count\n3\ncpu-usec\n70\nmemory-bytes\n900\n6\nkey-count\n0\ncpu-usec\n0\nmemory-bytes\n0\n";
  const std::string json =
      R"([[5,{"key-count":3,"cpu-usec":70,"memory-bytes":900}],[6,["key-count",0,"cpu-usec",0]]])";
  for (const std::string& text : {terminal, raw, json}) {
    const auto loads = read(slots(), {text});
    ASSERT_TRUE(loads.ok()) << to_string(loads.error());
    EXPECT_EQ(loads->listed, 2u);
    EXPECT_EQ(loads->units[5].requests, 70);
    EXPECT_EQ(loads->units[5].bytes, 900);
    EXPECT_EQ(loads->requests, "cpu-usec");
  }
  const auto table = read(slots(), {"slot,key-count,cpu-usec\n5,3,70\n"});
  ASSERT_TRUE(table.ok()) << to_string(table.error());
  EXPECT_EQ(table->units[5].requests, 70);
  const auto two = read(slots(), {"1\nkey-count\n3\n", "2\nkey-count\n4\n"});
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(two->bytes, "key-count");
  EXPECT_EQ(two->requests, "");
  EXPECT_EQ(two->units[2].bytes, 4);
}

TEST(UnitLoads, of_slots_are_refused_at_their_place) {
  EXPECT_EQ(fault(slots(), "1\nkey-count\nx\n").substr(0, 33), "load:3:1: expected a number: \"x\";");
  EXPECT_EQ(fault(slots(), "1\nkey-count\n").substr(0, 30), "load:2:1: the answer ends here");
  EXPECT_EQ(fault(slots(), "70000\nkey-count\n1\n").substr(0, 37), "load:1:1: expected a slot, 0 to 16383");
  EXPECT_EQ(fault(slots(), "1\nkey-count\n1\n1\nkey-count\n1\n").substr(0, 32),
            "load:4:1: a slot is listed twice");
  EXPECT_EQ(fault(slots(), R"([[1,["key-count"]]])").substr(0, 36), "load:1:5: expected names and values:");
  EXPECT_EQ(fault(slots(), R"([1,"key-count"])").substr(0, 46),
            "load:1:2: expected a slot and its statistics: ");
}

TEST(KeyLoads, add_up_and_keep_any_bytes) {
  const auto keys = parse_key_loads({"keys", "a\t1\t10\n\"b\\tc\"\t2\n\na\t3\t5\r\n\xff\t4\n"});
  ASSERT_TRUE(keys.ok());
  ASSERT_EQ(keys->size(), 3u);
  EXPECT_EQ((*keys)[0].key, "a");
  EXPECT_EQ((*keys)[0].load.requests, 4);
  EXPECT_EQ((*keys)[0].load.bytes, 15);
  EXPECT_EQ((*keys)[1].key, "b\tc");
  EXPECT_EQ((*keys)[2].key, "\xff");
}

TEST(KeyLoads, faults_name_the_line) {
  const auto why = [](const std::string& text) {
    const auto keys = parse_key_loads({"keys", text});
    return keys ? "" : to_string(keys.error());
  };
  EXPECT_EQ(why("a\t1\nb 2\n").substr(0, 37), "keys:2: no tab behind the key: \"b 2\";");
  EXPECT_EQ(why("a\t1\t2\t3\n").substr(0, 26), "keys:1: more than two tabs");
  EXPECT_EQ(why("a\tx\n").substr(0, 52), "keys:1: requests that are no number from 0 to 1e18: ");
  EXPECT_EQ(why("a\t1\tx\n").substr(0, 49), "keys:1: bytes that are no number from 0 to 1e18: ");
  EXPECT_EQ(why("\n").substr(0, 12), "keys: no key");
}

}  // namespace
}  // namespace arcwise
