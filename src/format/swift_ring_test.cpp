#include "format/swift_ring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "format/gunzip.hpp"
#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string bytes_of(std::uint64_t number, int count) {
  std::string out;
  for (int i = count - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i) & 0xff);
  return out;
}

// A ring file before it is packed.
std::string ring_bytes(const json& head, const std::vector<std::vector<unsigned>>& rows, bool little = true) {
  const std::string text = head.dump();
  std::string out = "R1NG" + bytes_of(1, 2) + bytes_of(text.size(), 4) + text;
  for (const auto& row : rows)
    for (const unsigned id : row)
      out += little ? std::string{static_cast<char>(id & 0xff), static_cast<char>(id >> 8)} : bytes_of(id, 2);
  return out;
}

std::string packed(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

json device(unsigned id, double weight = 100) {
  return {{"id", id},     {"region", 1},      {"zone", id},       {"ip", "192.0.2." + std::to_string(id)},
          {"port", 6200}, {"device", "sdb1"}, {"weight", weight}, {"meta", ""}};
}

json head(json devices, unsigned part_power, double replicas) {
  return {{"byteorder", "little"},
          {"devs", std::move(devices)},
          {"part_shift", 32 - part_power},
          {"replica_count", replicas},
          {"version", 4}};
}

Source conf(const std::string& prefix, const std::string& suffix) {
  return {"swift.conf", "[swift-hash]\n# kept secret\nswift_hash_path_prefix = " + prefix +
                            "\nswift_hash_path_suffix = " + suffix + "\n"};
}

// What Swift 2.30.1 answered with this very file.
TEST(swift_ring, paths_of_a_real_ring_are_on_the_devices_that_swift_gave) {
  const Source ring = sample("swift/small.ring.gz");
  EXPECT_EQ(recognise(ring.bytes), "swift-ring");
  std::size_t asked = 0;
  const json file = json::parse(file_bytes("vectors/swift-hash-to-partition.json"));
  for (const json& v : file["vectors"]) {
    const Placement placement = compile(imported({ring, conf(v["prefix"], v["suffix"])}).map);
    std::string path = v["account"];
    for (const char* part : {"container", "object"})
      if (!v[part].is_null()) path += "/" + v[part].get<std::string>();
    std::vector<std::string> devices;
    for (const json& id : v["device_ids"]) devices.push_back("d" + id.dump());
    EXPECT_EQ(owners_of(placement, path), devices) << path;
    ++asked;
  }
  EXPECT_EQ(asked, 108U);
}

// Rings whose tables are stated as a formula, with a fractional replica count and several regions among them.
TEST(swift_ring, written_as_files_the_vector_rings_answer_as_swift_did) {
  for (const char* name : {"fractional", "one-region", "regions", "wide-steps"}) {
    const json file = json::parse(file_bytes("vectors/swift-ring-" + std::string(name) + ".json"));
    json devices = json::array();
    for (json d : file["devices"]) {
      d["port"] = 6200;
      d["weight"] = 1.0;
      devices.push_back(d);
    }
    std::vector<std::vector<unsigned>> rows;
    double copies = 0;
    const auto step = file["step"].get<unsigned>();
    for (unsigned r = 0; r < file["row_lengths"].size(); ++r) {
      rows.emplace_back();
      for (unsigned p = 0; p < file["row_lengths"][r].get<unsigned>(); ++p)
        rows.back().push_back(static_cast<unsigned>((p * 7 + r * step + p / 5) % devices.size()));
      copies += static_cast<double>(rows.back().size());
    }
    const auto power = file["part_power"].get<unsigned>();
    json top = head(devices, power, copies / static_cast<double>(1U << power));
    top["byteorder"] = "big";
    const Cluster cluster = imported({{"x.ring.gz", packed(ring_bytes(top, rows, false))}});
    const Placement placement = compile(cluster.map);
    for (const json& v : file["lookups"]) {
      std::vector<std::string> expected;
      for (const json& id : v["devices"]) expected.push_back("d" + id.dump());
      EXPECT_EQ(owners_at(placement, {v["partition"].get<std::uint64_t>()}), expected) << name << v;
    }
  }
}

TEST(swift_ring, a_device_is_named_by_its_id_and_stands_in_its_zone_and_region) {
  json devices = {device(0), nullptr, device(2, 0)};
  devices[0]["ip"] = "2001:db8::1";
  const Cluster cluster = imported({{"x", ring_bytes(head(devices, 1, 2), {{0, 2}, {2, 0}})}});
  EXPECT_EQ(cluster.map.nodes().size(), 2U);
  EXPECT_EQ(node(cluster, "d0").address, "[2001:db8::1]:6200/sdb1");
  EXPECT_EQ(node(cluster, "d0").host, "2001:db8::1");
  EXPECT_EQ(node(cluster, "d2").rack, "z2");
  EXPECT_EQ(node(cluster, "d2").zone, "r1");
  EXPECT_EQ(node(cluster, "d2").weight, 0);
}

TEST(swift_ring, without_swift_conf_a_finding_says_that_paths_cannot_be_placed) {
  const Source ring = sample("swift/small.ring.gz");
  EXPECT_EQ(findings(imported({ring}), "hash-path-unknown").size(), 1U);
  EXPECT_THAT(imported({conf("", "changeme"), ring}).observed.findings, IsEmpty());
  EXPECT_THAT(refused({conf("", "changeme")}).advice, HasSubstr("ring"));
}

TEST(swift_ring, gaps_and_copies_together_are_findings) {
  const json devices = {device(0), device(1)};
  EXPECT_EQ(findings(imported({{"x", ring_bytes(head(devices, 1, 2), {{0, 65535}, {1, 0}})}}),
                     "unassigned-partitions")
                .size(),
            1U);
  EXPECT_EQ(findings(imported({{"x", ring_bytes(head(devices, 1, 2), {{0, 1}, {0, 0}})}}), "copies-together")
                .size(),
            1U);
  json growing = head(devices, 1, 2);
  growing["next_part_power"] = 2;
  EXPECT_EQ(findings(imported({{"x", ring_bytes(growing, {{0, 1}, {1, 0}})}}), "partitions-split").size(),
            1U);
}

TEST(swift_ring, the_rings_of_two_nodes_are_compared) {
  const json devices = {device(0), device(1), device(2)};
  const Source a{"a", ring_bytes(head(devices, 1, 2), {{0, 1}, {1, 0}})},
      b{"b", ring_bytes(head({devices[0], devices[1], nullptr}, 1, 2), {{0, 1}, {1, 0}})},
      c{"c", ring_bytes(head(devices, 1, 2), {{0, 1}, {1, 2}})};
  EXPECT_THAT(findings(imported({a, a}), "views-differ"), IsEmpty());
  ASSERT_EQ(findings(imported({a, b}), "views-differ").size(), 1U);
  EXPECT_EQ(findings(imported({a, b}), "views-differ")[0].subject, "d2");
  EXPECT_THAT(findings(imported({a, c}), "views-differ")[0].message, HasSubstr("1 of 2 partitions"));
}

TEST(swift_ring, pickles_other_versions_and_bombs_are_refused_by_name) {
  const auto why = [](const std::string& bytes) {
    return refused({{"x", packed(bytes)}}, from("swift-ring")).why;
  };
  EXPECT_THAT(why("\x80\x02}q\x01."), HasSubstr("pickle"));
  EXPECT_THAT(why("R1NG" + bytes_of(2, 2) + std::string(30, 'x')), HasSubstr("version"));
  EXPECT_THAT(why(std::string((64 << 20) + 1, '\0')), HasSubstr("unpacks to more than"));
  const std::string whole = sample("swift/small.ring.gz").bytes;
  for (std::size_t length = 3; length < whole.size(); length += 7)
    EXPECT_FALSE(parse(std::vector{Source{"x", whole.substr(0, length)}}, from("swift-ring"))) << length;
}

}  // namespace
}  // namespace arcwise
