// What a service manager is told (systemd's protocol: datagrams to the socket that it names).
//
// Layer: router.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "router/pool.hpp"

namespace arcwise::router {

class Notifier {
 public:
  /// `socket`: a path, or with @ in front a name of the abstract kind; empty: nobody is told.
  explicit Notifier(std::string socket) : socket_(std::move(socket)) {}
  /// The socket that the environment names.
  static Notifier of_environment();
  /// `READY=1`, `STOPPING=1`, …; several in lines.
  void say(std::string_view state) const;
  void say_reloading() const;

 private:
  std::string socket_;
};

/// The time within which the manager wants to hear WATCHDOG=1; nullopt: it does not.
std::optional<milliseconds> watchdog_of_environment();

}  // namespace arcwise::router
