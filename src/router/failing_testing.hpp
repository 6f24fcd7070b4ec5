// Several loops of one process before the same servers. Bytes move when a test says so: the worst order is
// chosen by hand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "place/testing.hpp"
#include "router/opaque_testing.hpp"
#include "router/proxy.hpp"

namespace arcwise::router::testing {

/// memcached with the commands that are needed here.
class Store {
 public:
  struct Item {
    std::string value, exptime;
  };
  std::map<std::string, Item> items;
  std::vector<std::string> heard;  ///< command lines

  std::string answer(std::string& in) {
    std::string out;
    McRequest request;
    for (;;) {
      const McParsed parsed = parse_memcached(in, {}, request);
      if (parsed.what == McParsed::What::more) return out;
      heard.push_back(in.substr(0, in.find('\r')));
      out += answer(request);
      in.erase(0, parsed.used);
    }
  }

 private:
  std::string answer(const McRequest& request) {
    const std::string key(request.key);
    std::string_view rest = request.rest;
    switch (request.verb) {
      case McVerb::set:
        next_word(rest);
        items[key] = {std::string(request.data.substr(0, request.data.size() - 2)),
                      std::string(next_word(rest))};
        return "STORED\r\n";
      case McVerb::meta_delete:
        return "NF\r\n";
      case McVerb::remove:
        return items.erase(key) ? "DELETED\r\n" : "NOT_FOUND\r\n";
      case McVerb::flush_all:
        items.clear();
        return "OK\r\n";
      case McVerb::meta_get:
        if (!items.contains(key)) return "EN" + opaque_of(key) + "\r\n";
        return "VA " + std::to_string(items[key].value.size()) + opaque_of(key) + " f0\r\n" +
               items[key].value + "\r\n";
      case McVerb::version:
        return "VERSION 1.6.18\r\n";
      default:
        return request.verb == McVerb::meta_noop ? "MN\r\n" : "ERROR\r\n";
    }
  }
};

/// Loops of one process, each with a client and a connection to each server.
class Process {
 public:
  explicit Process(const Pool& pool, std::size_t loops = 1) {
    for (const std::string& address : pool.addresses) stores[address];
    for (const std::string& address : pool.failing.gutter) stores[address];
    for (std::size_t i = 0; i < loops; ++i) {
      Loop& loop = loops_.emplace_back(pool);
      loop.client = loop.proxy.add_client();
    }
    settle();
  }

  struct Wire {
    bool up = false, held = false;
    std::string bytes;
  };

  /// What the client of a loop is told at once.
  std::string ask(std::string_view text, std::size_t at = 0) {
    Loop& loop = loops_[at];
    loop.proxy.client_in(loop.client).append(text);
    loop.proxy.serve(loop.client, now);
    settle();
    std::string out(loop.proxy.client_out(loop.client).view());
    loop.proxy.client_out(loop.client).clear();
    return out;
  }
  std::string set(const std::string& key, const std::string& value, std::size_t at = 0) {
    return ask("set " + key + " 0 0 " + std::to_string(value.size()) + "\r\n" + value + "\r\n", at);
  }
  /// The value, empty: nothing; or the error.
  std::string get(const std::string& key, std::size_t at = 0) {
    const std::string out = ask("get " + key + "\r\n", at);
    if (!out.starts_with("VALUE ")) return out == "END\r\n" ? "" : out;
    const std::size_t begin = out.find('\n') + 1;
    return out.substr(begin, out.find('\r', begin) - begin);
  }
  void pass(milliseconds time) {
    for (const Time end = now + time; now < end;) {
      now += milliseconds(10);
      for (Loop& loop : loops_) loop.proxy.tick(now);
      settle();
    }
    for (Loop& loop : loops_) loop.proxy.client_out(loop.client).clear();
  }
  /// The server is gone, with its connections, or there again.
  void kill(const std::string& server) {
    dead_[server] = true;
    for (std::size_t at = 0; at < loops_.size(); ++at) cut(server, at);
    settle();
  }
  void revive(const std::string& server) { dead_[server] = false; }
  void cut(const std::string& server, std::size_t at) {
    Loop& loop = loops_[at];
    const auto s = id(loop, server);
    loop.wires[server] = {};
    loop.proxy.lost(s, "it closed the connection", now);
  }
  /// What a loop sends to the server stays on its way.
  Wire& wire(const std::string& server, std::size_t at = 0) { return loops_[at].wires[server]; }
  void hold(const std::string& server, bool held) {
    for (Loop& loop : loops_) loop.wires[server].held = held;
    stopped_[server] = held;
    settle();
  }
  /// Bytes of connections that were closed on this side arrive after all.
  void late(const std::string& server) { stores[server].answer(orphans_[server]); }

  std::vector<std::string> events(const std::string& name) {
    for (Loop& loop : loops_)
      for (Event& event : loop.proxy.take_events()) events_.push_back(std::move(event));
    std::vector<std::string> out;
    for (const Event& event : events_)
      if (event.name == name) out.push_back(event.server);
    return out;
  }
  Proxy& proxy(std::size_t at = 0) { return loops_[at].proxy; }

  std::map<std::string, Store> stores;
  Time now{};

 private:
  struct Loop {
    explicit Loop(Pool pool) : proxy(std::move(pool)) {}
    Proxy proxy;
    Proxy::ClientId client = 0;
    std::map<std::string, Wire> wires;
  };
  static Proxy::ServerId id(Loop& loop, const std::string& server) {
    Proxy::ServerId s = 0;
    while (loop.proxy.address(s) != server) ++s;
    return s;
  }

  void settle() {
    for (int i = 0; i < 20; ++i)
      for (Loop& loop : loops_) settle(loop);
  }
  void settle(Loop& loop) {
    Proxy& proxy = loop.proxy;
    proxy.each_client_to_send([](Proxy::ClientId) {});
    proxy.each_server_to_send([](Proxy::ServerId) {});
    proxy.each_to_disconnect([&](Proxy::ServerId s, std::string_view why) {
      orphans_[proxy.address(s)] += loop.wires[proxy.address(s)].bytes;
      loop.wires[proxy.address(s)] = {};
      proxy.lost(s, why, now);
    });
    proxy.each_to_connect([&](Proxy::ServerId s) {
      if (dead_[proxy.address(s)]) return proxy.lost(s, "Connection refused", now);
      loop.wires[proxy.address(s)] = {true, stopped_[proxy.address(s)], ""};
      proxy.connected(s, now);
    });
    for (auto& [server, wire] : loop.wires) {
      if (!wire.up) continue;
      const auto s = id(loop, server);
      wire.bytes += proxy.server_out(s).view();
      proxy.server_out(s).clear();
      if (wire.held || wire.bytes.empty()) continue;
      proxy.server_in(s).append(stores[server].answer(wire.bytes));
      ASSERT_TRUE(proxy.answered(s, now));
    }
  }

  std::deque<Loop> loops_;
  std::map<std::string, bool> dead_, stopped_;
  std::map<std::string, std::string> orphans_;
  std::vector<Event> events_;
};

inline Pool pool_of(OnFailure on_failure, std::size_t servers = 3) {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < servers; ++i) nodes.push_back(arcwise::testing::node("s" + std::to_string(i)));
  Pool pool(compile(arcwise::testing::map_of(arcwise::testing::parts("ring", nodes, 1, Across::node, 16))));
  for (const Node& node : nodes) pool.addresses.push_back(node.name);
  pool.timeout = milliseconds(100);
  pool.failing.on_failure = on_failure;
  pool.failing.longest_ttl = std::chrono::seconds(5);
  return pool;
}

/// Keys whose owners, in order, these servers are.
inline std::vector<std::string> keys_of(const Pool& pool, const std::vector<NodeIndex>& owners,
                                        std::size_t count) {
  std::vector<std::string> out;
  for (int i = 0; out.size() < count; ++i) {
    const std::string key = "key" + std::to_string(i);
    NodeSet mask(pool.addresses.size());
    bool fits = true;
    for (const NodeIndex wanted : owners) {
      NodeIndex found = no_node;
      pool.placement.owners({key, pool.placement.hash(key), NodeMask(mask)}, {&found, 1});
      fits &= found == wanted;
      mask.insert(wanted);
    }
    if (fits) out.push_back(key);
  }
  return out;
}
inline std::string key_of(const Pool& pool, const std::vector<NodeIndex>& owners) {
  return keys_of(pool, owners, 1)[0];
}

}  // namespace arcwise::router::testing
