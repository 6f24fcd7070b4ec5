#include "format/libmemcached_client.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "model/build.hpp"

namespace arcwise {
namespace {

using Severity = Finding::Severity;

constexpr std::uint32_t default_port = 11211;

struct HashName {
  std::string_view name;
  KeyHashId hash;
};
// In the order of libmemcached's numbers.
constexpr std::array hashes{
    HashName{"DEFAULT", KeyHashId::one_at_a_time},   HashName{"MD5", KeyHashId::md5_ketama},
    HashName{"CRC", KeyHashId::crc32_15bit},         HashName{"FNV1_64", KeyHashId::fnv1_64_low32},
    HashName{"FNV1A_64", KeyHashId::fnv1a_64_low32}, HashName{"FNV1_32", KeyHashId::fnv1_32},
    HashName{"FNV1A_32", KeyHashId::fnv1a_32},       HashName{"HSIEH", KeyHashId::hsieh},
    HashName{"MURMUR", KeyHashId::murmur2_seed_len}, HashName{"JENKINS", KeyHashId::jenkins},
    HashName{"MURMUR3", KeyHashId::murmur3_seed_len}};

std::string_view hash_name(KeyHashId hash) {
  return std::find_if(hashes.begin(), hashes.end(), [&](const HashName& h) { return h.hash == hash; })->name;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

bool is_path(std::string_view host) {
  return host.starts_with('/');
}

std::string name_of(const LibmemcachedClient::Server& server) {
  return is_path(server.host) ? server.host : server.host + ":" + std::to_string(server.port);
}

}  // namespace

Finding eject_note(std::string option) {
  return {Severity::warning, "auto-eject", std::move(option),
          "failed servers are left out of the ring: their keys move to others, and come back with them",
          "keep it only for caches that may serve a value from before the failure"};
}

Finding copies_note(std::string option) {
  return {Severity::info, "copies-left-out", std::move(option),
          "the client also writes copies to the servers that follow in the list; the map has the first owner",
          ""};
}

std::optional<KeyHashId> LibmemcachedClient::find_hash(std::string_view name) {
  const std::string wanted = upper(name);
  for (const HashName& hash : hashes)
    if (hash.name == wanted) return hash.hash;
  return std::nullopt;
}

std::optional<KeyHashId> LibmemcachedClient::find_hash(std::uint64_t number) {
  if (number < hashes.size()) return hashes[number].hash;
  return std::nullopt;
}

bool LibmemcachedClient::on_ring() const {
  return distribution_ == Distribution::consistent || distribution_ == Distribution::ketama ||
         distribution_ == Distribution::spy || distribution_ == Distribution::weighted;
}

void LibmemcachedClient::build() {
  if (on_ring() && !servers_.empty()) points_hash_ = hash_;
}

void LibmemcachedClient::add(Server server) {
  if (!is_path(server.host) && server.port == 0) server.port = default_port;
  if (server.weight == 0) server.weight = 1;
  if (server.weight > 1) {
    turned_by_weight_ |= on_ring() && !weighted_;
    weighted_ = true;
  }
  servers_.push_back(std::move(server));
  build();
}

void LibmemcachedClient::set_distribution(Distribution distribution) {
  if (distribution == Distribution::consistent || distribution == Distribution::ketama)
    weighted_ = turned_by_weight_ = false;
  if (distribution == Distribution::weighted) weighted_ = true;
  distribution_ = distribution;
  build();
}

void LibmemcachedClient::set_ketama_weighted(bool on) {
  hash_ = KeyHashId::md5_ketama;
  set_distribution(on ? Distribution::weighted : Distribution::ketama);
}

std::string_view LibmemcachedClient::recipe() const {
  if (distribution_ == Distribution::modula) return "libmemcached-modula";
  if (distribution_ == Distribution::spy) return weighted_ ? "libmemcached-spy-weighted" : "libmemcached-spy";
  return weighted_ ? "libmemcached-ketama-weighted" : "libmemcached-consistent";
}

std::vector<Node> LibmemcachedClient::nodes(const PlacementSettings& placement,
                                            std::vector<Finding>& findings) const {
  std::map<std::string, int> seen;
  std::vector<Node> out;
  for (const Server& server : servers_) {
    Node node;
    node.name = name_of(server);
    node.address = node.name;
    if (server.host.find(':') != std::string::npos && !is_path(server.host))
      node.address = "[" + server.host + "]:" + std::to_string(server.port);
    if (is_path(server.host)) {
      node.host = "localhost";
      if (server.port != 0)
        node.label = server.host + (server.port == default_port ? "" : ":" + std::to_string(server.port));
    }
    node.weight = server.weight;
    // What is hashed is the server's own text, whatever its number here.
    if (const int before = seen[node.name]++; before > 0) {
      findings.push_back({Severity::warning, "duplicate-server", node.name,
                          "the server is added twice and gets two shares", "add it once, with its weight"});
      if (node.label.empty()) node.label = label_of(placement, node);
      node.name += "#" + std::to_string(before + 1);
    }
    out.push_back(std::move(node));
  }
  return out;
}

std::vector<Finding> LibmemcachedClient::traps() const {
  std::vector<Finding> out = findings_;
  if (on_ring() && !weighted_ && points_hash_ != hash_)
    out.push_back({Severity::warning, "hash-after-servers", "HASH",
                   "the ring was built with " + std::string(hash_name(points_hash_)) +
                       " and is not built again: keys are hashed with " + std::string(hash_name(hash_)),
                   "set the hash before the servers and the distribution"});
  if (on_ring() && turned_by_weight_)
    out.push_back({Severity::warning, "weight-changes-ring", "DISTRIBUTION",
                   "a weight above 1 turned the weighted ring on; keys are still hashed with " +
                       std::string(hash_name(hash_)),
                   "say KETAMA_WEIGHTED (PHP: OPT_LIBKETAMA_COMPATIBLE), which also sets MD5"});
  const bool uneven =
      std::any_of(servers_.begin(), servers_.end(), [](const Server& s) { return s.weight > 1; });
  if (uneven && (distribution_ == Distribution::modula || (on_ring() && !weighted_)))
    out.push_back({Severity::warning, "weights-ignored", "DISTRIBUTION",
                   "the servers have weights, which this distribution ignores",
                   "say KETAMA_WEIGHTED (PHP: OPT_LIBKETAMA_COMPATIBLE), or drop the weights"});
  if (!prefix_.empty() && !hash_with_prefix_)
    out.push_back({Severity::info, "prefix-not-hashed", "NAMESPACE",
                   "the prefix is sent and not hashed: keys are placed without it", ""});
  return out;
}

Result<Cluster> LibmemcachedClient::cluster(const Inputs& inputs, std::string_view format) const {
  const Mark at = servers_.empty() ? Mark{inputs.sources.front().name, 1, 0} : servers_.front().at;
  if (servers_.empty())
    return Error{ErrorKind::input, at, "", "no server in the file",
                 "give the servers and the options in the "
                 "order in which the program sets them"};
  if (distribution_ == Distribution::random || distribution_ == Distribution::virtual_bucket)
    return Error{ErrorKind::input, at, "",
                 distribution_ == Distribution::random
                     ? "the distribution is RANDOM, which places no key"
                     : "the distribution is VIRTUAL_BUCKET, whose table is made by the program",
                 "bring a client of another distribution"};
  ClusterMap::Parts parts;
  Observed observed;
  observed.format = std::string(format);
  observed.findings = traps();
  PlacementSettings& placement = parts.placement;
  placement.recipe = find_recipe(recipe());
  placement.hash = hash_;
  if (on_ring() && !weighted_ && points_hash_ != hash_)
    placement.settings["point_hash"] = std::string(info(points_hash_).name);
  if (sort_hosts_) placement.settings["sort_hosts"] = "true";
  if (hash_with_prefix_ && !prefix_.empty()) placement.settings["prefix"] = prefix_;
  parts.nodes = nodes(placement, observed.findings);
  parts.replicas.count = inputs.options.replicas.value_or(1);
  parts.replicas.across = inputs.options.across.value_or(Across::node);
  auto map = ClusterMap::build(std::move(parts), at);
  if (!map) return map.error();
  observed.down = NodeSet(map->nodes().size());
  return Cluster{std::move(*map), std::move(observed)};
}

}  // namespace arcwise
