// What names of hosts stand for. Who resolves names may be silent for minutes, so that they are asked for by
// threads that nobody waits for, not even at the end.
//
// Layer: router.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "router/address.hpp"

namespace arcwise::router {

/// Thread-safe.
class KnownHosts {
 public:
  using LookUp = std::function<Result<Address>(const std::string& address)>;

  explicit KnownHosts(LookUp look_up);

  /// `user` needs these addresses from now on, and no others. Names among them that are new are asked for.
  void keep(const std::string& user, const std::vector<std::string>& addresses);
  /// Asks for all names again, and forgets those that nobody needs. One that is not found now stays what it
  /// was.
  void renew();

  struct Unknown {
    std::string address, why;
  };
  /// Those whose address is not known. Waits for names that were not answered yet, but not once nobody has
  /// answered for `silence`.
  std::vector<Unknown> await(const std::vector<std::string>& addresses,
                             std::chrono::milliseconds silence) const;
  /// With what is known. Never waits.
  Result<Address> find(const std::string& address) const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  ///< also its threads', however long they take
};

/// Those of this process.
KnownHosts& known_hosts();

}  // namespace arcwise::router
