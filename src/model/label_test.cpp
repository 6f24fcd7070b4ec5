// Labels: what is hashed for a node of a given name, system by system.
#include <gtest/gtest.h>

#include "model/build.hpp"

namespace arcwise {
namespace {

std::string label(const char* recipe, const std::string& name, const std::string& address = "",
                  const std::string& default_port = "") {
  PlacementSettings placement;
  placement.recipe = find_recipe(recipe);
  if (!default_port.empty()) placement.settings["default_port"] = default_port;
  Node node;
  node.name = name;
  node.address = address;
  return label_of(placement, node);
}

TEST(label, libketama_hashes_the_text_as_it_stands) {
  for (const char* text : {"10.0.0.1:11211", "10.0.0.1", "[::1]:11211", "/tmp/a.sock"})
    EXPECT_EQ(label("libketama", text), text);
}

TEST(label, libmemcached_and_twemproxy_leave_out_port_11211_and_nothing_else) {
  for (const char* recipe : {"libmemcached-ketama-weighted", "libmemcached-consistent", "twemproxy-ketama"}) {
    EXPECT_EQ(label(recipe, "10.0.0.1:11211"), "10.0.0.1");
    EXPECT_EQ(label(recipe, "10.0.0.1:11212"), "10.0.0.1:11212");
    EXPECT_EQ(label(recipe, "10.0.0.1:111211"), "10.0.0.1:111211");
    EXPECT_EQ(label(recipe, "2001:db8::2:11211"), "2001:db8::2");
    EXPECT_EQ(label(recipe, "cache-a"), "cache-a");
    EXPECT_EQ(label(recipe, ":11211"), ":11211");
  }
}

TEST(label, unix_sockets_differ_by_system) {
  EXPECT_EQ(label("libmemcached-ketama-weighted", "/tmp/a.sock"), "/tmp/a.sock:0");
  EXPECT_EQ(label("libmemcached-spy", "/tmp/a.sock"), "//tmp/a.sock:0");
  EXPECT_EQ(label("twemproxy-modula", "/tmp/a.sock"), "/tmp/a.sock:");
  EXPECT_EQ(label("dalli", "/tmp/a.sock"), "/tmp/a.sock");
}

TEST(label, spy_has_a_slash_and_always_the_port) {
  EXPECT_EQ(label("libmemcached-spy-weighted", "10.0.0.1:11211"), "/10.0.0.1:11211");
}

TEST(label, java_prints_name_and_address) {
  EXPECT_EQ(label("spymemcached-ketama", "10.0.0.1:11211"), "10.0.0.1:11211");
  EXPECT_EQ(label("spymemcached-ketama", "cache-a:11212", "10.0.0.1:11212"), "cache-a/10.0.0.1:11212");
  EXPECT_EQ(label("spymemcached-ketama", "cache-a:11212", "10.0.0.1"), "cache-a/10.0.0.1:11212");
  EXPECT_EQ(label("spymemcached-ketama", "cache-a:11212"), "cache-a:11212");
  EXPECT_EQ(label("spymemcached-ketama", "cache-a"), "cache-a");
  EXPECT_EQ(label("xmemcached-ketama", "10.0.0.1:11211"), "/10.0.0.1:11211");
  EXPECT_EQ(label("xmemcached-ketama", "cache-a:11212", "10.0.0.1:11212"), "cache-a/10.0.0.1:11212");
  EXPECT_EQ(label("xmemcached-ketama-nginx", "cache-a:11212", "10.0.0.1:11212"), "10.0.0.1:11212");
  EXPECT_EQ(label("xmemcached-ketama-nginx", "cache-a:11211", "10.0.0.1:11211"), "10.0.0.1");
  EXPECT_EQ(label("spymemcached-ketama-libmemcached", "cache-a:11211", "10.0.0.1:11211"), "cache-a");
  EXPECT_EQ(label("spymemcached-ketama-libmemcached", "cache-a:11212", "10.0.0.1:11212"), "cache-a:11212");
}

TEST(label, java_writes_ipv6_out_in_full) {
  struct Row {
    const char *written, *printed;
  };
  for (const Row& r :
       {Row{"[::1]", "0:0:0:0:0:0:0:1"}, Row{"[2001:db8::2]", "2001:db8:0:0:0:0:0:2"},
        Row{"[::]", "0:0:0:0:0:0:0:0"}, Row{"[2001:0db8:0:0:0:0:00AF:2]", "2001:db8:0:0:0:0:af:2"},
        Row{"[fe80::]", "fe80:0:0:0:0:0:0:0"}, Row{"[1:2:3:4:5:6:7::]", "1:2:3:4:5:6:7:0"}}) {
    EXPECT_EQ(label("spymemcached-ketama", std::string(r.written) + ":11212"),
              "[" + std::string(r.printed) + "]:11212");
    EXPECT_EQ(label("spymemcached-ketama-libmemcached", std::string(r.written) + ":11212"),
              std::string(r.printed) + ":11212");
  }
  for (const char* no_address : {"1:2", "1:2:3:4:5:6:7:8:9", "::1::2", "12345::", "a b::1", "g::1"})
    EXPECT_EQ(label("xmemcached-ketama", "[" + std::string(no_address) + "]:1"),
              "[" + std::string(no_address) + "]:1");
}

TEST(label, dalli_always_has_a_port_and_never_brackets) {
  EXPECT_EQ(label("dalli", "localhost"), "localhost:11211");
  EXPECT_EQ(label("dalli", "localhost:11211"), "localhost:11211");
  EXPECT_EQ(label("dalli", "[::1]:11213"), "::1:11213");
  EXPECT_EQ(label("dalli", "[::1]"), "::1:11211");
}

TEST(label, npm_hashring_leaves_out_the_default_port_it_is_given) {
  EXPECT_EQ(label("hashring", "10.0.0.1:11211"), "10.0.0.1:11211");
  EXPECT_EQ(label("hashring", "10.0.0.1:11212", "", "11212"), "10.0.0.1");
  EXPECT_EQ(label("npm-memcached", "10.0.0.1:11211"), "10.0.0.1");
  EXPECT_EQ(label("npm-memcached", "10.0.0.1:11212"), "10.0.0.1:11212");
  EXPECT_EQ(label("npm-memcached", "cache-a"), "cache-a");
}

TEST(label, memcached_proxy_has_three_forms) {
  EXPECT_EQ(label("memcached-proxy-ketama", "10.0.0.1:11211"), "10.0.0.1:11211");
  EXPECT_EQ(label("memcached-proxy-twemproxy", "10.0.0.1:11211"), "10.0.0.1");
  EXPECT_EQ(label("memcached-proxy-evcache", "10.0.0.1:11211"), "10.0.0.1/10.0.0.1:11211");
}

}  // namespace
}  // namespace arcwise
