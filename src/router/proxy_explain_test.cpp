// Where is my key?, asked beside other clients of the same thread.
#include <gtest/gtest.h>

#include "place/testing.hpp"
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

/// A second copy must be in a rack of which one in so many nodes is.
Pool lopsided(Protocol protocol, std::size_t servers) {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < servers; ++i)
    nodes.push_back(testing::node("n" + std::to_string(i), 1, i == 0 ? "small" : "large"));
  Pool pool(compile(testing::map_of(testing::parts("ring", nodes, 2, Across::rack, 16))));
  pool.addresses.assign(servers, "a");
  pool.protocol = protocol;
  return pool;
}

std::string told(Proxy& proxy, const std::string& asked) {
  const auto id = proxy.add_client();
  proxy.client_in(id).append(asked);
  proxy.serve(id, Time());
  return std::string(proxy.client_out(id).view());
}

TEST(proxy_explain, an_answer_is_bounded_however_far_apart_a_keys_owners_stand) {
  const auto ask = [](Proxy& proxy, int key) {
    const std::string name = "key" + std::to_string(key);
    return proxy.pool().protocol == Protocol::memcached
               ? told(proxy, "stats explain " + name + "\r\n")
               : told(proxy, "*3\r\n$7\r\nARCWISE\r\n$7\r\nEXPLAIN\r\n" + resp_bulk(name));
  };
  for (const Protocol protocol : {Protocol::memcached, Protocol::redis}) {
    Proxy proxy(lopsided(protocol, 200));
    int whole = 0, refused = 0;
    for (int key = 0; key < 200; ++key) {
      const std::string answer = ask(proxy, key);
      EXPECT_LT(answer.size(), std::size_t{256} * 128);
      const bool has_both = answer.find("\"reason\":\"taken\"") != answer.rfind("\"reason\":\"taken\"");
      whole += has_both;
      refused += answer.find("/api/v1/explain") != std::string::npos;
    }
    EXPECT_EQ(whole + refused, 200);
    EXPECT_GT(whole, 0);
    EXPECT_GT(refused, 0);
  }
}

}  // namespace
}  // namespace arcwise::router
