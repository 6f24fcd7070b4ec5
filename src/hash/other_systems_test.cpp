#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "arcwise/hash.hpp"
#include "hash/ceph.hpp"
#include "hash/crush_ln_tables.inc"
#include "hash/des.hpp"
#include "hash/digest_positions.hpp"
#include "hash/haproxy.hpp"
#include "hash/jenkins.hpp"
#include "hash/mix64.hpp"
#include "hash/murmur2.hpp"
#include "hash/murmur3.hpp"
#include "hash/spooky.hpp"
#include "hash/utf8.hpp"
#include "hash/xxh.hpp"

namespace arcwise {
namespace {

nlohmann::json testdata(const std::string& file) {
  std::ifstream in(ARCWISE_TESTDATA "/hash/" + file);
  return nlohmann::json::parse(in);
}

std::string from_hex_bytes(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

template <class Bytes>
std::string hex(const Bytes& bytes) {
  std::string digits;
  for (const std::uint8_t byte : bytes) {
    digits.push_back("0123456789abcdef"[byte >> 4]);
    digits.push_back("0123456789abcdef"[byte & 15]);
  }
  return digits;
}

KeyHashId id_of(const std::string& name) {
  return find_key_hash(name).value();
}

TEST(OtherSystems, raw_key_hashes_are_those_that_the_systems_themselves_gave) {
  const auto data = testdata("system-key-hashes.json");
  const auto keys = data.at("keys").get<std::vector<std::string>>();
  ASSERT_EQ(keys.size(), 363U);
  std::size_t columns = 0;
  for (const auto& set : data.at("sets")) {
    const ByteSign sign = set.at("byte_sign") == "signed" ? ByteSign::as_signed : ByteSign::as_unsigned;
    for (const auto& [name, values] : set.at("values").items()) {
      ++columns;
      ASSERT_EQ(values.size(), keys.size());
      for (std::size_t i = 0; i < keys.size(); ++i)
        EXPECT_EQ(key_hash(id_of(name), keys[i], sign), values[i].get<std::uint64_t>())
            << set.at("system") << ' ' << name << " of " << keys[i];
    }
  }
  EXPECT_EQ(columns, 30U);
}

std::size_t highest(const std::string& key, const std::vector<std::string>& nodes,
                    double (*score)(const std::string& node, const std::string& key)) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i)
    if (score(nodes[i], key) >= score(nodes[best], key)) best = i;
  return best;
}

double mcrouter_score(const std::string& node, const std::string& key) {
  return static_cast<double>(hash128to64(murmur2_64a(node, 4193360111), murmur2_64a(key, 2718281828)));
}

double pymemcache_score(const std::string& node, const std::string& key) {
  return static_cast<double>(key_hash(KeyHashId::pymemcache_murmur3, node + "-" + key));
}

/// uhashring: 160 points a node, the hash of "node-i"; the first point above the key's hash.
std::size_t uhashring_owner(const std::string& key, const std::vector<std::string>& nodes) {
  std::vector<std::pair<u128, std::size_t>> points;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (int i = 0; i < 160; ++i) points.emplace_back(md5_u128(nodes[n] + "-" + std::to_string(i)), n);
  std::sort(points.begin(), points.end());
  const u128 hash = md5_u128(key);
  for (const auto& [point, node] : points)
    if (point > hash) return node;
  return points.front().second;
}

std::size_t chosen(const std::string& rule, const std::string& hash, const std::string& key,
                   const std::vector<std::string>& nodes) {
  if (rule == "modulo") return key_hash(id_of(hash), key) % nodes.size();
  if (rule == "ring") return uhashring_owner(key, nodes);
  return highest(key, nodes, hash == "murmur2_64a" ? mcrouter_score : pymemcache_score);
}

TEST(OtherSystems, the_simplest_rule_on_the_hash_chooses_the_servers_that_clients_chose) {
  const auto data = testdata("system-key-hashes.json");
  const auto keys = data.at("keys").get<std::vector<std::string>>();
  ASSERT_EQ(data.at("choices").size(), 11U);
  for (const auto& choice : data.at("choices")) {
    const auto nodes = choice.at("nodes").get<std::vector<std::string>>();
    for (std::size_t i = 0; i < keys.size(); ++i)
      ASSERT_EQ(chosen(choice.at("rule"), choice.at("hash"), keys[i], nodes),
                choice.at("owner")[i].get<std::size_t>())
          << choice.at("case") << ' ' << keys[i];
  }
}

TEST(OtherSystems, envoys_own_test_values_hold) {
  const auto data = testdata("envoy-hash-values.json");
  for (const auto& [key, value] : data.at("xxhash64").items())
    EXPECT_EQ(xxh64(key), value.get<std::uint64_t>()) << key;
  EXPECT_EQ(xxh64("bar", xxh64("foo")), data.at("xxhash64_multi").at("[foo, bar]").get<std::uint64_t>());
  for (const auto& [key, value] : data.at("murmurhash2_64_seed_c70f6907").items())
    EXPECT_EQ(key_hash(KeyHashId::murmur2_64_envoy, key), value.get<std::uint64_t>()) << key;
}

TEST(OtherSystems, kafkas_hash_is_its_murmur_2_without_the_top_bit) {
  const auto vectors = testdata("kafka-default-partitioner.json").at("vectors");
  ASSERT_GE(vectors.size(), 10U);
  for (const auto& v : vectors) {
    const std::string key = v.at("key");
    EXPECT_EQ(static_cast<std::int32_t>(murmur2_32(key, 0x9747b28c)), v.at("murmur2").get<std::int32_t>())
        << key;
    EXPECT_EQ(key_hash(KeyHashId::kafka_murmur2, key) % 12, v.at("partition_of_12").get<std::uint64_t>())
        << key;
  }
}

TEST(OtherSystems, elasticsearch_hashes_utf_16) {
  const auto vectors = testdata("elasticsearch-routing.json").at("vectors");
  ASSERT_EQ(vectors.size(), 16U);
  for (const auto& v : vectors)
    EXPECT_EQ(static_cast<std::int32_t>(murmur3_32_utf16le(v.at("routing").get<std::string>())),
              v.at("hash").get<std::int32_t>())
        << v.at("routing");
}

TEST(OtherSystems, couchbase_buckets_are_the_fifteen_bit_crc_modulo_their_number) {
  const auto vectors = testdata("couchbase-vbucket.json").at("vectors");
  ASSERT_EQ(vectors.size(), 19U);
  for (const auto& v : vectors) {
    const std::string key = v.at("key");
    EXPECT_EQ(key_hash(KeyHashId::crc32, key), v.at("crc32").get<std::uint64_t>()) << key;
    EXPECT_EQ(key_hash(KeyHashId::crc32_15bit, key) % 1024, v.at("vbucket_1024").get<std::uint64_t>()) << key;
  }
}

TEST(OtherSystems, python_memcached_never_hashes_to_zero) {
  EXPECT_EQ(key_hash(KeyHashId::crc32_15bit, ""), 0U);
  EXPECT_EQ(key_hash(KeyHashId::crc32_15bit_nonzero, ""), 1U);
  EXPECT_EQ(key_hash(KeyHashId::crc32_15bit_nonzero, "foo"), key_hash(KeyHashId::crc32_15bit, "foo"));
}

TEST(OtherSystems, gomemcache_looks_at_256_bytes_of_a_key) {
  const std::string key(256, 'k');
  EXPECT_EQ(key_hash(KeyHashId::crc32_first256, key), key_hash(KeyHashId::crc32, key));
  EXPECT_EQ(key_hash(KeyHashId::crc32_first256, key + "more"), key_hash(KeyHashId::crc32, key));
}

TEST(Postgres, hashes_of_every_type_are_those_of_postgres_15) {
  const auto vectors = testdata("citus-hash-distribution.json").at("vectors");
  ASSERT_EQ(vectors.size(), 27U);
  for (const auto& v : vectors) {
    const std::string type = v.at("type");
    std::string value = v.at("value");
    std::uint32_t hash = 0;
    if (type == "int4") hash = postgres_int4(std::stoi(value));
    if (type == "int8") hash = postgres_int8(std::stoll(value));
    if (type == "text") hash = postgres_bytes(value);
    if (type == "uuid") {
      value.erase(std::remove(value.begin(), value.end(), '-'), value.end());
      hash = postgres_bytes(from_hex_bytes(value));
    }
    EXPECT_EQ(static_cast<std::int32_t>(hash), v.at("hash").get<std::int32_t>())
        << type << ' ' << v.at("value");
  }
}

RC_GTEST_PROP(Postgres, an_int_8_that_fits_in_int_4_has_its_hash, (std::int32_t value)) {
  RC_ASSERT(postgres_int8(value) == postgres_int4(value));
}

RC_GTEST_PROP(Postgres, citus_text_orders_keys_as_the_signed_hash_does,
              (const std::string& a, const std::string& b)) {
  const auto as_signed = [](const std::string& key) {
    return static_cast<std::int32_t>(postgres_bytes(key));
  };
  RC_ASSERT((key_hash(KeyHashId::citus_text, a) < key_hash(KeyHashId::citus_text, b)) ==
            (as_signed(a) < as_signed(b)));
}

TEST(Riak, indexes_are_those_of_riak_itself) {
  const auto vectors = testdata("riak-key-hash.json").at("vectors");
  ASSERT_EQ(vectors.size(), 16U);
  std::size_t typed = 0;
  for (const auto& v : vectors) {
    const std::string type = v.at("bucket_type").is_null() ? "" : v.at("bucket_type").get<std::string>();
    typed += type.empty() ? 0 : 1;
    const std::string bucket = v.at("bucket");
    EXPECT_EQ(hex(riak_key_index(type, bucket, from_hex_bytes(v.at("key_hex")))),
              v.at("sha1").get<std::string>());
  }
  EXPECT_GT(typed, 0U);
}

TEST(Riak, the_default_type_is_no_type) {
  EXPECT_EQ(riak_key_index("default", "b", "k"), riak_key_index("", "b", "k"));
  EXPECT_NE(riak_key_index("maps", "b", "k"), riak_key_index("", "b", "k"));
}

TEST(Ceph, objects_fall_into_the_placement_groups_that_osdmaptool_names) {
  const auto data = testdata("ceph-object-to-pg.json");
  const std::uint32_t groups = data.at("pg_num");
  ASSERT_EQ(groups, 768U);
  for (const auto& v : data.at("vectors")) {
    const std::string object = v.at("object");
    const std::uint32_t hash = ceph_rjenkins(object);
    EXPECT_EQ(hash, v.at("hash").get<std::uint32_t>()) << object;
    const std::uint32_t group = (hash & 1023) < groups ? hash & 1023 : hash & 511;
    EXPECT_EQ(rjenkins1(group, 1), v.at("pps").get<std::uint32_t>()) << object;  // pool 1
  }
}

TEST(Ceph, one_and_three_arguments_give_the_hashes_of_crush) {
  // Worked out from the definition, step by step, outside of this library.
  EXPECT_EQ(rjenkins1(0), 398764043U);
  EXPECT_EQ(rjenkins1(12345), 3450610134U);
  EXPECT_EQ(rjenkins1(0, 0, 0), 2050749362U);
  EXPECT_EQ(rjenkins1(1, static_cast<std::uint32_t>(-2), 3), 4009417264U);
}

TEST(Ceph, the_tables_of_the_logarithm_are_those_that_ceph_ships) {
  const auto fine = testdata("ceph-crush-ln-tables.json").at("LL_all");
  ASSERT_EQ(fine.size(), std::size(crush_fine_logs));
  for (std::size_t k = 0; k < fine.size(); ++k)
    EXPECT_EQ(crush_fine_logs[k], std::stoull(fine[k].get<std::string>(), nullptr, 16)) << k;
  for (std::uint64_t k = 0; k <= 128; ++k)
    EXPECT_EQ(crush_reciprocals[k], ((std::uint64_t{1} << 55) + 127 + k) / (128 + k)) << k;
  EXPECT_EQ(crush_coarse_logs[0], 0U);
  EXPECT_EQ(crush_coarse_logs[127], 0xfe8df263f957U);
  EXPECT_EQ(crush_coarse_logs[128], 0xffff00000000U);
}

TEST(Ceph, the_logarithm_of_powers_of_two_is_exact_and_it_grows) {
  for (int e = 0; e < 16; ++e) EXPECT_EQ(crush_ln((1U << e) - 1), static_cast<std::uint64_t>(e) << 44) << e;
  EXPECT_EQ(crush_ln(0xffff), (std::uint64_t{15} << 44) + (0xffff00000000U >> 4));
  for (std::uint32_t draw = 0; draw < 0xffff; draw += 256)
    EXPECT_LT(crush_ln(draw), crush_ln(draw + 256)) << draw;
}

TEST(Haproxy, decimal_keys_keep_the_low_32_bits_of_their_number) {
  const std::pair<const char*, std::uint32_t> cases[] = {{"", 0},
                                                         {"0", 0},
                                                         {"42", 42},
                                                         {"+42", 42},
                                                         {"42abc", 42},
                                                         {"abc", 0},
                                                         {"-", 0},
                                                         {"-1", 0xffffffff},
                                                         {"--1", 0},
                                                         {" 1", 0},
                                                         {"4294967295", 0xffffffff},
                                                         {"4294967296", 0},
                                                         {"4294967303", 7},
                                                         {"9223372036854775806", 0xfffffffe},
                                                         {"9223372036854775807", 0xffffffff},
                                                         {"9223372036854775808", 0xffffffff},
                                                         {"99999999999999999999999", 0xffffffff},
                                                         {"-9223372036854775807", 1},
                                                         {"-9223372036854775808", 0},
                                                         {"-99999999999999999999999", 0}};
  for (const auto& [key, value] : cases) EXPECT_EQ(decimal32(key), value) << key;
}

TEST(Spooky, published_values_hold_in_the_short_and_the_long_form) {
  std::string buffer;
  for (int i = 0; i < 512; ++i) buffer.push_back(static_cast<char>(i + 128));
  const std::pair<std::size_t, std::uint32_t> published[] = {
      {0, 0x6bf50919},   {1, 0x70de1d26},   {8, 0xee193982},   {15, 0x83ec01f9},  {16, 0xf274736c},
      {31, 0x027bca7c},  {32, 0xe5cfc8b6},  {63, 0x09c1afb4},  {64, 0x069c8bb7},  {128, 0x94e948ec},
      {191, 0xe13d9e19}, {192, 0x77e012bd}, {193, 0x2d05114c}, {255, 0x2f40ee0b}, {256, 0x38cebf03},
      {288, 0x47880140}, {320, 0xf1545450}, {384, 0x44eb5634}, {448, 0xad7baa23}, {511, 0xcc1c8250}};
  for (const auto& [length, value] : published)
    EXPECT_EQ(spooky_v2_32(std::string_view(buffer).substr(0, length), 0), value) << length;
}

TEST(Vitess, published_keyspace_ids_hold) {
  EXPECT_EQ(vitess_hash(1), 0x166b40b44aba4bd6U);
  EXPECT_EQ(vitess_hash(2), 0x06e7ea22ce92708fU);
  EXPECT_EQ(vitess_hash(3), 0x4eb190c9a2fa169cU);
  EXPECT_EQ(vitess_hash(4), 0xd2fd8867d50d2dfeU);
  EXPECT_EQ(vitess_hash(5), 0x70bb023c810ca87aU);
  EXPECT_EQ(vitess_hash(6), 0xf098480ac4c4be71U);
}

RC_GTEST_PROP(Vitess, the_hash_is_its_own_inverse, (std::uint64_t id)) {
  RC_ASSERT(vitess_hash(vitess_hash(id)) == id);
}

TEST(RandomPartitioner, tokens_are_absolute_values_and_the_empty_key_is_the_least) {
  EXPECT_TRUE(random_partitioner_token("") == 0U);
  // The digest of "test" begins 09 and is taken as it is; that of "a" begins 0c; that of "c" begins 4a, of
  // "b" 92.
  EXPECT_TRUE(random_partitioner_token("test") == md5_u128("test"));
  EXPECT_TRUE(random_partitioner_token("b") == ~md5_u128("b") + 1);
}

std::vector<std::uint32_t> code_points(std::string_view text) {
  std::vector<std::uint32_t> out;
  for_each_code_point(text, [&out](std::uint32_t point) { out.push_back(point); });
  return out;
}

TEST(Utf8, well_formed_text_is_its_code_points) {
  EXPECT_EQ(code_points("aé€😀"), (std::vector<std::uint32_t>{0x61, 0xe9, 0x20ac, 0x1f600}));
  EXPECT_EQ(code_points("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
            (std::vector<std::uint32_t>{0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff}));
  std::vector<std::uint16_t> units;
  for_each_utf16_unit("é😀\xf4\x8f\xbf\xbf", [&units](std::uint16_t unit) { units.push_back(unit); });
  EXPECT_EQ(units, (std::vector<std::uint16_t>{0xe9, 0xd83d, 0xde00, 0xdbff, 0xdfff}));
}

TEST(Utf8, every_byte_of_an_ill_formed_sequence_stands_for_itself) {
  for (const std::string_view bad : {"\x80", "\xbf\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe2\x82",
                                     "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf",
                                     "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf0\x9f\x98", "\xff\xfe"}) {
    std::vector<std::uint32_t> latin1;
    for (const char c : bad) latin1.push_back(static_cast<std::uint8_t>(c));
    EXPECT_EQ(code_points(bad), latin1) << bad.size();
  }
  EXPECT_EQ(code_points("\xe2\x82x"), (std::vector<std::uint32_t>{0xe2, 0x82, 'x'}));
  EXPECT_EQ(code_points("\xc3\xc3\xa9"), (std::vector<std::uint32_t>{0xc3, 0xe9}));
}

TEST(JavaString, hashes_are_those_of_string) {
  EXPECT_EQ(key_hash(KeyHashId::java_string_hash, ""), 0U);
  EXPECT_EQ(key_hash(KeyHashId::java_string_hash, "Aa"), key_hash(KeyHashId::java_string_hash, "BB"));
  EXPECT_EQ(key_hash(KeyHashId::java_string_hash, "hello"), 99162322U);
  EXPECT_EQ(key_hash(KeyHashId::java_string_hash, "😀"), 0xd83dU * 31 + 0xde00U);
}

RC_GTEST_PROP(ByteSign, keys_in_ascii_have_one_hash, ()) {
  const auto key = *rc::gen::container<std::string>(rc::gen::inRange('\0', '\x7f'));
  for (const KeyHashInfo& hash : key_hashes())
    RC_ASSERT(key_hash(hash.id, key, ByteSign::as_signed) == key_hash(hash.id, key, ByteSign::as_unsigned));
}

RC_GTEST_PROP(FullHash, different_numbers_stay_different, (std::uint32_t a, std::uint32_t b)) {
  RC_ASSERT((full_hash(a) == full_hash(b)) == (a == b));
}

}  // namespace
}  // namespace arcwise
