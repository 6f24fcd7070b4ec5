// A router before Redis servers, said and answered by hand.
#pragma once

#include <gtest/gtest.h>

#include "place/testing.hpp"
#include "router/proxy.hpp"

namespace arcwise::router::testing {

inline std::string command(const std::vector<std::string>& words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) out += resp_bulk(word);
  return out;
}

inline const std::string hello3 = command({"HELLO", "3"});
inline constexpr std::string_view hello3_answer = "%1\r\n$5\r\nproto\r\n:3\r\n";

/// A router before so many servers, of which each connection is a number.
struct Talk {
  explicit Talk(std::size_t servers, const std::string& password = "") : proxy(pool(servers, password)) {}

  static Pool pool(std::size_t servers, const std::string& password) {
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < servers; ++i)
      nodes.push_back(arcwise::testing::node("s" + std::to_string(i)));
    Pool out(compile(arcwise::testing::map_of(arcwise::testing::parts("ring", nodes, 1, Across::node, 16))));
    out.protocol = Protocol::redis;
    out.timeout = milliseconds(100);
    out.failing.probe_every = milliseconds(0);
    out.client_password = password;
    for (std::size_t i = 0; i < servers; ++i) out.addresses.push_back("s" + std::to_string(i));
    return out;
  }

  void say(Proxy::ClientId id, const std::vector<std::string>& words) {
    proxy.client_in(id).append(command(words));
    serve(id);
  }
  void serve(Proxy::ClientId id) {
    proxy.serve(id, now);
    connect();
  }
  void connect() {
    proxy.each_to_connect([&](Proxy::ServerId s) { proxy.connected(s, now); });
  }
  /// What a connection has been sent since it was last asked for.
  std::string sent(Proxy::ServerId s) {
    std::string out(proxy.server_out(s).view());
    proxy.server_out(s).clear();
    return out;
  }
  void answer(Proxy::ServerId s, std::string_view text) {
    proxy.server_in(s).append(text);
    EXPECT_TRUE(proxy.answered(s, now));
    connect();
  }
  std::string told(Proxy::ClientId id) {
    std::string out(proxy.client_out(id).view());
    proxy.client_out(id).clear();
    if (proxy.waits_for_service(id)) serve(id);
    return out;
  }
  /// The server of a key, by the router's own map.
  Proxy::ServerId owner(const std::string& key) const { return proxy.pool().placement.owner(key); }
  std::string key_of(Proxy::ServerId server, int from = 0) const {
    while (owner("key" + std::to_string(from)) != server) ++from;
    return "key" + std::to_string(from);
  }

  Proxy proxy;
  Time now{};
};

}  // namespace arcwise::router::testing
