// What the checks of a configuration share: those of its values alone, and those on the machine it is for.
//
// Layer: router.
#pragma once

#include <functional>
#include <string>

#include "router/config.hpp"
#include "router/endpoint.hpp"

namespace arcwise::router {

/// `place`: as of Sources.
Error fault_in(const std::string& place, std::string what, std::string why, std::string advice);
/// The configuration itself, for what stands nowhere in it.
std::string file_of(const Config& config);

/// What is known of where an address leads.
using Locate = std::function<Endpoint(const std::string& address)>;
/// No two listeners in one place, and no server that is the router itself.
std::optional<Error> check_addresses(const Config& config, const Locate& locate);

}  // namespace arcwise::router
