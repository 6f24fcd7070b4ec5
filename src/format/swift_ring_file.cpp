#include "format/swift_ring_file.hpp"

#include <cmath>

#include "format/columns.hpp"
#include "format/gunzip.hpp"
#include "format/yaml.hpp"

namespace arcwise {
namespace {

constexpr std::size_t max_unpacked = std::size_t{64} << 20;  // three replicas of 2^23 partitions
constexpr std::size_t head_start = 10;
constexpr std::string_view write_again = "write it again with swift-ring-builder FILE.builder write_ring";

struct Head {
  const Source& file;

  Error fault(std::string what, std::string why, std::string_view advice = write_again) const {
    return {ErrorKind::input, {file.name, 0, 0}, std::move(what), std::move(why), std::string(advice)};
  }

  // A whole number under a key, or `preset` where there is none.
  std::optional<Error> whole(const YamlNode& map, std::string_view key, std::uint64_t last,
                             std::optional<std::uint64_t> preset, std::uint64_t& out) const {
    const YamlNode* field = map.find(key);
    if ((!field || field->is(YamlNode::Kind::null)) && preset) {
      out = *preset;
      return std::nullopt;
    }
    const auto number = field ? parse_count(field->text, last) : std::nullopt;
    if (!number)
      return fault(field ? field->text : "", "the ring's head has no whole number `" + std::string(key) +
                                                 "` of at most " + std::to_string(last));
    out = *number;
    return std::nullopt;
  }
};

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t out = 0;
  for (const char c : bytes) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

std::optional<double> weight_of(const YamlNode& device) {
  const YamlNode* field = device.find("weight");
  if (!field || field->text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(field->text.c_str(), &end);
  if (*end != '\0' || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

Result<std::vector<std::optional<SwiftDevice>>> read_devices(const Head& head, const YamlNode& list) {
  std::vector<std::optional<SwiftDevice>> out;
  for (const YamlNode& item : list.items) {
    if (item.is(YamlNode::Kind::null)) {
      out.emplace_back();
      continue;
    }
    SwiftDevice device;
    const std::string where = "device " + std::to_string(out.size());
    if (!item.is(YamlNode::Kind::map)) return head.fault(where, "a device that is not a map");
    if (auto error = head.whole(item, "id", 65534, std::nullopt, device.id)) return *error;
    if (auto error = head.whole(item, "region", ~0U, 1, device.region)) return *error;
    if (auto error = head.whole(item, "zone", ~0U, std::nullopt, device.zone)) return *error;
    if (auto error = head.whole(item, "port", 65535, 0, device.port)) return *error;
    if (device.id != out.size()) return head.fault(where, "a device whose id is not its place in the list");
    const auto weight = weight_of(item);
    if (!weight) return head.fault(where, "a device without a weight of 0 or more");
    device.weight = *weight;
    if (const YamlNode* ip = item.find("ip")) device.ip = ip->text;
    if (const YamlNode* name = item.find("device")) device.device = name->text;
    if (device.ip.empty()) return head.fault(where, "a device without an ip");
    out.emplace_back(std::move(device));
  }
  return out;
}

// One row a replica, each of 2^part_power numbers; fewer in the last where the replica count is a fraction:
// 2.5 replicas of 512 partitions are rows of 512, 512 and 256.
std::optional<Error> read_rows(const Head& head, std::string_view bytes, bool little, SwiftRing& ring) {
  const std::size_t partitions = std::size_t{1} << ring.part_power;
  if (bytes.empty() || bytes.size() % 2 != 0) return head.fault("", "the ring ends within its table");
  while (!bytes.empty()) {
    if (ring.rows.size() == max_replicas)
      return head.fault("", "more than " + std::to_string(max_replicas) + " replicas of " +
                                std::to_string(partitions) + " partitions");
    const std::string_view part = bytes.substr(0, 2 * partitions);
    bytes.remove_prefix(part.size());
    std::vector<std::uint16_t>& row = ring.rows.emplace_back(part.size() / 2);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto first = static_cast<unsigned char>(part[2 * i]),
                 second = static_cast<unsigned char>(part[2 * i + 1]);
      const unsigned id = little ? first | unsigned{second} << 8 : unsigned{first} << 8 | second;
      row[i] = static_cast<std::uint16_t>(id);
      if (row[i] != SwiftRing::nobody && (row[i] >= ring.devices.size() || !ring.devices[row[i]]))
        return head.fault(std::to_string(id),
                          "partition " + std::to_string(i) + " has a copy on a device that is not listed");
    }
  }
  if (ring.rows.front().size() < partitions) return head.fault("", "the ring ends within its first replica");
  return std::nullopt;
}

// The head says how many rows there are: 3 for 2.5 replicas, by some versions as 2.5.
std::optional<Error> check_replicas(const Head& head, const YamlNode& json, const SwiftRing& ring) {
  const YamlNode* field = json.find("replica_count");
  if (!field || std::ceil(std::strtod(field->text.c_str(), nullptr)) == static_cast<double>(ring.rows.size()))
    return std::nullopt;
  return head.fault(field->text, "the table has another number of replicas than the ring's head says");
}

Result<SwiftRing> read_version_1(const Head& head, std::string_view bytes) {
  const auto length = bytes.size() < head_start ? bytes.size() : big_endian(bytes.substr(6, 4));
  if (bytes.size() < head_start || length > bytes.size() - head_start)
    return head.fault("", "the ring ends within its head");
  auto json = read_yaml({head.file.name, std::string(bytes.substr(head_start, length))});
  if (!json) return json.error();
  SwiftRing ring{head.file.name, {}, 0, false, {}};
  std::uint64_t shift = 0;
  if (auto error = head.whole(*json, "part_shift", 32, std::nullopt, shift)) return *error;
  ring.part_power = static_cast<unsigned>(32 - shift);
  if (ring.part_power > 26)
    return head.fault(std::to_string(shift), "more than 2^26 partitions",
                      "the largest part power read is 26");
  const YamlNode* devices = json->find("devs");
  if (!devices || !devices->is(YamlNode::Kind::sequence))
    return head.fault("", "the ring's head has no list `devs`");
  auto read = read_devices(head, *devices);
  if (!read) return read.error();
  ring.devices = std::move(*read);
  const YamlNode* growing = json->find("next_part_power");
  ring.growing = growing && !growing->is(YamlNode::Kind::null);
  const YamlNode* order = json->find("byteorder");
  if (order && order->text != "little" && order->text != "big")
    return head.fault(order->text, "expected the byte order little or big");
  const bool little = !order || order->text == "little";
  if (auto error = read_rows(head, bytes.substr(head_start + length), little, ring)) return *error;
  if (auto error = check_replicas(head, *json, ring)) return *error;
  return ring;
}

}  // namespace

Result<SwiftRing> read_swift_ring(const Source& source) {
  const Head head{source};
  std::string unpacked;
  if (is_gzip(source.bytes)) {
    auto bytes = gunzip(source, max_unpacked);
    if (!bytes) return bytes.error();
    unpacked = std::move(*bytes);
  }
  const std::string_view bytes =
      unpacked.empty() ? std::string_view(source.bytes) : std::string_view(unpacked);
  if (!bytes.starts_with("R1NG"))
    return head.fault("", bytes.starts_with("\x80") || bytes.starts_with("(")
                              ? "a Python pickle, which runs code when it is read: it is never read"
                              : "not a ring file of Swift: it does not begin with R1NG");
  const std::uint64_t version = big_endian(bytes.substr(4, 2));
  if (version != 1)
    return head.fault(std::to_string(version), "a ring of a version that is not read",
                      "bring a ring of version 1, as Swift 2.30 writes it");
  return read_version_1(head, bytes);
}

}  // namespace arcwise
