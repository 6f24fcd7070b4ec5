// libmemcached as a program sets it up, call by call: which ring is in force depends on the order of the
// calls.
//
// Layer: format. Worked example: CONSISTENT, then a server of weight 3, is a weighted MD5 ring; the server
// first, then CONSISTENT, is a ring of 100 points a server without weights.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/importer.hpp"

namespace arcwise {

/// Of an option that leaves failed servers out, and of one that writes copies to the servers that follow.
Finding eject_note(std::string option);
Finding copies_note(std::string option);

class LibmemcachedClient {
 public:
  enum class Distribution : std::uint8_t {
    modula,
    consistent,
    ketama,
    spy,
    weighted,
    random,
    virtual_bucket
  };
  struct Server {
    Mark at;
    std::string host;        ///< as given; a path for a unix socket
    std::uint32_t port = 0;  ///< of a host, 0: 11211; of a path it is hashed as it is, "/a.sock:0"
    std::uint32_t weight = 1;
  };

  void add(Server server);
  void set_distribution(Distribution distribution);
  void set_hash(KeyHashId hash) { hash_ = hash; }
  void set_ketama_weighted(bool on);
  void set_sort_hosts(bool on) { sort_hosts_ = on; }
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  void set_hash_with_prefix(bool on) { hash_with_prefix_ = on; }
  void note(Finding finding) { findings_.push_back(std::move(finding)); }
  void clear_servers() { servers_.clear(); }

  bool has_servers() const { return !servers_.empty(); }
  /// The map of the calls so far. `format`: which text they came from.
  Result<Cluster> cluster(const Inputs& inputs, std::string_view format) const;

  /// DEFAULT, MD5, CRC, …: libmemcached's own names, in any case.
  static std::optional<KeyHashId> find_hash(std::string_view name);
  static std::optional<KeyHashId> find_hash(std::uint64_t number);  ///< the value of PHP's and C's constants

 private:
  bool on_ring() const;
  void build();  ///< as libmemcached rebuilds its ring: not when the hash changes
  std::string_view recipe() const;
  std::vector<Node> nodes(const PlacementSettings& placement, std::vector<Finding>& findings) const;
  std::vector<Finding> traps() const;

  std::vector<Server> servers_;
  Distribution distribution_ = Distribution::modula;
  bool weighted_ = false, turned_by_weight_ = false;
  KeyHashId hash_ = KeyHashId::one_at_a_time, points_hash_ = KeyHashId::one_at_a_time;
  bool sort_hosts_ = false, hash_with_prefix_ = false;
  std::string prefix_;
  std::vector<Finding> findings_;
};

}  // namespace arcwise
