// The whole router on a simulated network: proxies between clients and servers, bytes that come late and in
// pieces, and what goes wrong with all of them. One seed is one history, which can be had again.
//
// What must hold whatever happens: every answer belongs to its request and comes in its turn; a read finds
// nothing older than the newest write that was acknowledged before it was asked; what is kept for clients and
// servers has its bounds; and when faults end, everything is answered.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "place/testing.hpp"
#include "router/proxy.hpp"
#include "router/simulated_client.hpp"
#include "router/simulated_server.hpp"

namespace arcwise::router::simulation {

/// What goes wrong; in how many of 10,000 turns.
struct Faults {
  unsigned cut = 0;      ///< a connection to a server ends, with what was under way
  unsigned die = 0;      ///< a server ends and forgets; connections are refused until it is back
  unsigned stop = 0;     ///< a server neither reads nor answers for a while
  unsigned slow = 0;     ///< a server takes milliseconds for each command, for a while
  unsigned garbage = 0;  ///< a server says what is no answer, and ends the connection
  unsigned swap = 0;     ///< a map of other servers is adopted
  unsigned leave = 0;    ///< a client ends its connection, and another comes
  unsigned deaf = 0;     ///< a client does not read for a while
};

struct Scene {
  Protocol protocol = Protocol::memcached;
  std::size_t servers = 4, spares = 0, clients = 5, loops = 1, keys = 20;
  unsigned ask_one_in = 3;  ///< turns
  bool fresh = true;        ///< whether old values are a fault
  unsigned writes_one_in = 1;
  bool resp3 = false;       ///< every second client speaks it
  Time slack{};             ///< a value may be older than the last write by so much
  bool only_count = false;  ///< old values are counted, and no failure
  /// Whether what a client that has left wrote may be done late: with two ways to a key, nobody can tell.
  bool forgotten_writes_last = false;
  Faults faults;
  std::function<void(Pool&)> settings;
};

inline Pool pool_of(Protocol protocol, std::size_t servers, std::size_t first = 0) {
  std::vector<Node> nodes;
  for (std::size_t i = first; i < servers; ++i) nodes.push_back(testing::node("s" + std::to_string(i)));
  Pool pool(compile(testing::map_of(testing::parts("ring", nodes, 1, Across::node, 16))));
  pool.protocol = protocol;
  pool.timeout = milliseconds(100);
  for (std::size_t i = first; i < servers; ++i) pool.addresses.push_back("s" + std::to_string(i));
  return pool;
}

class Network {
 public:
  Network(Scene scene, std::uint64_t seed) : scene_(std::move(scene)), random_(seed) {
    Pool pool = make_pool(scene_.servers, 0);
    for (std::size_t i = 0; i < scene_.loops; ++i) loops_.push_back(std::make_unique<Side>(pool));
    for (std::size_t i = 0; i < scene_.servers + scene_.spares; ++i)
      machines_.emplace_back(scene_.protocol, i % 2 == 0);
    for (std::size_t i = 0; i < scene_.clients; ++i) {
      const bool resp3 = scene_.resp3 && i % 2 == 1;
      people_.emplace_back(
          Client::Habits{scene_.protocol, scene_.keys, scene_.fresh, scene_.slack, scene_.only_count, resp3,
                         scene_.writes_one_in, scene_.faults.swap == 0},
          ledger_);
      people_.back().loop = i % scene_.loops;
      people_.back().id = proxy_of(people_.back()).add_client();
    }
  }

  /// So many turns with faults; then without, until all is answered.
  void run(int turns) {
    for (int turn = 0; turn < turns && !::testing::Test::HasFailure(); ++turn) {
      for (Person& person : people_)
        if (!person.hung_up && one_in(scene_.ask_one_in)) person.unsent += person.client.ask(random_, now_);
      break_something();
      step();
    }
    for (Machine& machine : machines_) machine.dead_until = machine.stopped_until = machine.slow_until = now_;
    for (Person& person : people_) person.deaf_until = now_;
    for (int turn = 0; turn < 20'000 && !drained() && !::testing::Test::HasFailure(); ++turn) step();
    EXPECT_TRUE(drained()) << waiting() << " requests are not answered";
  }

  std::size_t waiting() const {
    std::size_t all = 0;
    for (const Person& person : people_) all += person.client.waiting();
    return all;
  }
  struct Sums {
    std::size_t answers = 0, failures = 0, found = 0, old = 0, executed = 0;
    OverloadCounts overload;
  };
  Sums sums() const {
    Sums all;
    for (const Person& person : people_) {
      all.answers += person.client.answers;
      all.failures += person.client.failures;
      all.found += person.client.found;
      all.old += person.client.old;
    }
    for (const Machine& machine : machines_) all.executed += machine.server.executed;
    for (const auto& loop : loops_) all.overload.add(loop->proxy.counters().overload);
    return all;
  }

 private:
  struct Link {
    Connection connection;
    std::string to_router;  ///< said, and on its way
    Time opens{};           ///< 0: nobody connects
    bool open = false;
  };
  struct Side {
    explicit Side(const Pool& pool) : proxy(pool) {}
    Proxy proxy;
    std::vector<Link> links;  ///< by ServerId
  };
  struct Machine {
    Machine(Protocol protocol, bool meta) : server(protocol, meta) {}
    Server server;
    Time dead_until{}, stopped_until{}, slow_until{}, busy_until{};
    /// Connections that the router has ended: what was sent on them is done all the same, sooner or later.
    std::vector<Connection> orphans;
  };
  struct Person {
    Person(const Client::Habits& habits, Ledger& ledger) : client(habits, ledger) {}
    Client client;
    std::size_t loop = 0;
    Proxy::ClientId id = 0;
    std::string unsent;
    Time deaf_until{};
    bool hung_up = false;  ///< it says no more, but listens
  };

  Pool make_pool(std::size_t servers, std::size_t first) const {
    Pool pool = pool_of(scene_.protocol, servers, first);
    for (std::size_t i = 0; i < scene_.spares; ++i)
      pool.failing.gutter.push_back("s" + std::to_string(scene_.servers + i));
    if (scene_.settings) scene_.settings(pool);
    return pool;
  }
  Proxy& proxy_of(const Person& person) { return loops_[person.loop]->proxy; }
  bool one_in(std::uint64_t count) { return random_.next() % count == 0; }
  bool happens(unsigned of_10000) { return of_10000 > 0 && random_.next() % 10'000 < of_10000; }
  template <class T>
  T& any(std::deque<T>& all) {
    return all[random_.next() % all.size()];
  }
  Time in_up_to(unsigned ms) { return now_ + milliseconds(1 + random_.next() % ms); }

  // Servers are s0, s1, …, whatever number a proxy has given them.
  Machine& machine_of(const Proxy& proxy, Proxy::ServerId s) {
    return machines_[std::stoul(proxy.address(s).substr(1))];
  }
  Link& link(Side& side, Proxy::ServerId s) {
    if (side.links.size() <= s) side.links.resize(s + 1);
    return side.links[s];
  }

  void break_something() {
    const Faults& faults = scene_.faults;
    if (happens(faults.stop)) any(machines_).stopped_until = in_up_to(400);
    if (happens(faults.slow)) any(machines_).slow_until = in_up_to(1000);
    if (happens(faults.deaf)) any(people_).deaf_until = in_up_to(1000);
    if (happens(faults.leave)) leave(any(people_));
    if (happens(faults.leave)) hang_up(any(people_));
    if (happens(faults.swap)) {
      const std::size_t first = random_.next() % 2;
      const Pool pool = make_pool(2 + random_.next() % (scene_.servers - 1), first);
      for (auto& loop : loops_) loop->proxy.adopt(pool);
    }
    if (happens(faults.die)) {
      Machine& machine = any(machines_);
      machine.dead_until = in_up_to(400);
      machine.server.forget();
      machine.orphans.clear();
      each_link_of(machine,
                   [&](Side& side, Proxy::ServerId s) { lose(side, s, "it closed the connection"); });
    }
    if (happens(faults.cut))
      each_link_of(any(machines_), [&](Side& side, Proxy::ServerId s) {
        // Some of what it has said may arrive before.
        pass(link(side, s).to_router, side.proxy.server_in(s), 40);
        (void)side.proxy.answered(s, now_);
        lose(side, s, "connection reset");
      });
    if (happens(faults.garbage))
      each_link_of(any(machines_), [&](Side& side, Proxy::ServerId s) {
        // In place of an answer: what stands in the middle of a value nobody can tell from it.
        if (!side.proxy.server_in(s).empty()) return;
        side.proxy.server_in(s).append(one_in(2) ? "?!\r\n" : "?!");
        (void)side.proxy.answered(s, now_);
        lose(side, s, "it broke the protocol");
      });
  }
  template <class Act>
  void each_link_of(const Machine& machine, Act&& act) {
    for (auto& side : loops_)
      for (Proxy::ServerId s = 0; s < side->links.size(); ++s)
        if (side->links[s].open && &machine_of(side->proxy, s) == &machine) act(*side, s);
  }
  void leave(Person& person) {
    Proxy& proxy = proxy_of(person);
    person.client.leave(scene_.forgotten_writes_last);
    person.hung_up = false;
    person.unsent.clear();
    proxy.drop_client(person.id);
    proxy.tick(now_);
    person.id = proxy.add_client();
  }
  void hang_up(Person& person) {
    Proxy& proxy = proxy_of(person);
    if (!person.unsent.empty() || !proxy.wants_bytes(person.id)) return;
    proxy.hang_up(person.id, now_);
    person.hung_up = true;
  }
  void lose(Side& side, Proxy::ServerId s, std::string_view why) {
    link(side, s) = {};
    side.proxy.lost(s, why, now_);
  }

  // A few bytes of each direction of each connection.
  void step() {
    now_ += milliseconds(1);
    for (auto& side : loops_) {
      side->proxy.tick(now_);
      settle(*side);
    }
    for (Person& person : people_) talk(person);
    for (auto& side : loops_) {
      settle(*side);
      for (Proxy::ServerId s = 0; s < side->links.size(); ++s)
        if (side->links[s].open) exchange(*side, s);
      settle(*side);
    }
    for (Machine& machine : machines_)
      if (now_ >= machine.stopped_until && one_in(4))
        std::erase_if(machine.orphans, [&](Connection& c) { return !machine.server.execute(c, now_); });
    for (Person& person : people_) listen(person);
  }
  void settle(Side& side) {
    Proxy& proxy = side.proxy;
    proxy.each_to_disconnect([&](Proxy::ServerId s, std::string_view why) {
      machine_of(proxy, s).orphans.push_back(std::move(link(side, s).connection));
      lose(side, s, why);
    });
    proxy.each_to_connect([&](Proxy::ServerId s) {
      link(side, s) = {};
      link(side, s).opens = one_in(2) ? now_ : in_up_to(50);
    });
    for (Proxy::ServerId s = 0; s < side.links.size(); ++s) open(side, s);
    proxy.each_client_to_send([](Proxy::ClientId) {});
    proxy.each_server_to_send([](Proxy::ServerId) {});
  }
  void open(Side& side, Proxy::ServerId s) {
    Link& at = link(side, s);
    if (at.open || at.opens == Time{} || now_ < at.opens) return;
    if (now_ < machine_of(side.proxy, s).dead_until) return lose(side, s, "connection refused");
    at.open = true;
    side.proxy.connected(s, now_);
  }
  void talk(Person& person) {
    Proxy& proxy = proxy_of(person);
    if (!proxy.wants_bytes(person.id)) return;
    const std::size_t size = std::min<std::size_t>(person.unsent.size(), random_.next() % 60);
    proxy.client_in(person.id).append(std::string_view(person.unsent).substr(0, size));
    person.unsent.erase(0, size);
    proxy.serve(person.id, now_);
  }
  void listen(Person& person) {
    Proxy& proxy = proxy_of(person);
    Buffer& out = proxy.client_out(person.id);
    const PoolLimits& limits = proxy.pool().limits;
    // An answer is written whole, and those that were asked for before it was full may come as well.
    EXPECT_LE(out.size(), limits.unsent + limits.requests * 1000);
    if (now_ < person.deaf_until) return;
    const std::size_t size = std::min<std::size_t>(out.size(), random_.next() % 400);
    person.client.hear(out.view().substr(0, size), now_);
    out.consume(size);
    if (proxy.waits_for_service(person.id)) proxy.serve(person.id, now_);
    if (!person.hung_up || !out.empty() || !proxy.finished(person.id)) return;
    EXPECT_EQ(person.client.waiting(), 0u) << "its connection ends before it has been answered";
    leave(person);
  }
  void exchange(Side& side, Proxy::ServerId s) {
    Machine& machine = machine_of(side.proxy, s);
    Link& at = link(side, s);
    Buffer& out = side.proxy.server_out(s);
    const std::size_t size = std::min<std::size_t>(out.size(), random_.next() % 120);
    at.connection.in += out.view().substr(0, size);  // its kernel takes them, also while it is stopped
    out.consume(size);
    for (int i = 0; i < 4 && now_ >= machine.stopped_until && now_ >= machine.busy_until; ++i) {
      if (!machine.server.execute(at.connection, now_)) break;
      if (now_ < machine.slow_until) machine.busy_until = in_up_to(30);
    }
    at.to_router += at.connection.out;
    at.connection.out.clear();
    pass(at.to_router, side.proxy.server_in(s), 120);
    if (!side.proxy.answered(s, now_)) {
      ADD_FAILURE() << "a server's answer was not understood";
      lose(side, s, "it broke the protocol");
    }
  }
  void pass(std::string& from, Buffer& to, std::uint64_t most) {
    const std::size_t size = std::min<std::size_t>(from.size(), random_.next() % most);
    to.append(std::string_view(from).substr(0, size));
    from.erase(0, size);
  }
  bool drained() const {
    for (const auto& side : loops_)
      if (!side->proxy.quiet()) return false;
    for (const Person& person : people_)
      if (!person.unsent.empty()) return false;
    return waiting() == 0;
  }

  Scene scene_;
  Splitmix64 random_;
  Ledger ledger_;
  std::vector<std::unique_ptr<Side>> loops_;
  std::deque<Machine> machines_;
  std::deque<Person> people_;
  Time now_{};
};

}  // namespace arcwise::router::simulation
