// nginx: `hash KEY consistent` and `hash KEY` of an upstream.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "place/methods.hpp"

namespace arcwise {

/// The `server` argument as nginx hashes it: the host, a zero byte, the port. "10.0.0.1:80" -> "10.0.0.1",
/// "80"; "[::1]:80" -> "[::1]", "80"; "10.0.0.1" -> "10.0.0.1", ""; "unix:/tmp/a.sock" -> "/tmp/a.sock", "".
struct NginxServer {
  std::string_view host, port;
};
NginxServer nginx_server(std::string_view text) noexcept;

/// 160 points for each unit of weight, each the CRC-32 of the server and the point before it. Of a position
/// that two servers claim, the later one's point is dropped.
void nginx_points(const ClusterMap& map, std::vector<RingPoint>& out);

/// The choice of `hash` without `consistent`: a CRC-32 modulo the total weight; for a server that is down,
/// the CRC-32 of the number of the round and the key is added. After 20 rounds nginx goes round robin; here
/// the others follow in list order.
std::unique_ptr<const Chooser> nginx_rehash(const ClusterMap& map);

}  // namespace arcwise
