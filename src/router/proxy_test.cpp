// The router on a simulated network: servers that are a map of keys and values, bytes that come in pieces,
// and servers that go away. Every seed can be run again.
#include "router/proxy.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "hash/splitmix.hpp"
#include "place/testing.hpp"

namespace arcwise::router {
namespace {

Pool pool_of(Protocol protocol, std::size_t servers, std::size_t first = 0) {
  std::vector<Node> nodes;
  for (std::size_t i = first; i < servers; ++i) nodes.push_back(testing::node("s" + std::to_string(i)));
  Pool pool(compile(testing::map_of(testing::parts("ring", nodes, 1, Across::node, 16))));
  pool.protocol = protocol;
  pool.timeout = milliseconds(100);
  for (std::size_t i = first; i < servers; ++i) pool.addresses.push_back("s" + std::to_string(i));
  return pool;
}

/// A server that knows get, gets, mg, set and mn, or GET, MGET and SET.
class FakeServer {
 public:
  explicit FakeServer(Protocol protocol, bool meta) : protocol_(protocol), meta_(meta) {}
  void hear(std::string_view bytes) {
    in_ += bytes;
    while (protocol_ == Protocol::memcached ? memcached() : redis()) {
    }
  }
  std::string& out() { return out_; }
  void restart() { in_.clear(), out_.clear(); }

 private:
  bool memcached() {
    McRequest request;
    const McParsed parsed = parse_memcached(in_, {}, request);
    if (parsed.what == McParsed::What::more) return false;
    const std::string key(request.verb == McVerb::get || request.verb == McVerb::gets ? request.rest.substr(1)
                                                                                      : request.key);
    const auto found = values_.find(key);
    const std::string size = found == values_.end() ? "" : std::to_string(found->second.size());
    if (request.verb == McVerb::set) {
      values_[key] = request.data.substr(0, request.data.size() - 2);
      out_ += "STORED\r\n";
    } else if (request.verb == McVerb::meta_noop) {
      out_ += meta_ ? "MN\r\n" : "ERROR\r\n";
    } else if (request.verb == McVerb::meta_get) {
      out_ += found == values_.end() ? "EN\r\n" : "VA " + size + " f0\r\n" + found->second + "\r\n";
    } else {
      if (found != values_.end()) out_ += "VALUE " + key + " 0 " + size + "\r\n" + found->second + "\r\n";
      out_ += "END\r\n";
    }
    in_.erase(0, parsed.used);
    return true;
  }
  bool redis() {
    RespRequest request;
    const auto parsed = request.parse(in_, {});
    if (parsed.what == RespRequest::What::more) return false;
    const auto bulk = [&](const std::string& key) {
      const auto found = values_.find(key);
      return found == values_.end()
                 ? "$-1\r\n"
                 : "$" + std::to_string(found->second.size()) + "\r\n" + found->second + "\r\n";
    };
    const std::string name(request.word(in_, 0));
    if (name == "SET") {
      values_[std::string(request.word(in_, 1))] = request.word(in_, 2);
      out_ += "+OK\r\n";
    } else if (name == "PING") {
      out_ += "+PONG\r\n";
    } else {
      if (name == "MGET") out_ += "*" + std::to_string(request.words() - 1) + "\r\n";
      for (std::size_t i = 1; i < request.words(); ++i) out_ += bulk(std::string(request.word(in_, i)));
    }
    in_.erase(0, parsed.used);
    return true;
  }

  Protocol protocol_;
  bool meta_;
  std::map<std::string, std::string> values_;
  std::string in_, out_;
};

/// A client that asks, and knows what it may be told.
class FakeClient {
 public:
  FakeClient(Protocol protocol, Proxy::ClientId id) : id(id), protocol_(protocol) {}

  std::string ask(Splitmix64& random) {
    const auto key = [&] { return "key" + std::to_string(random.next() % 20); };
    std::vector<std::string> keys{key()};
    const bool writes = random.next() % 3 == 0;
    if (!writes)
      while (random.next() % 2) keys.push_back(key());
    asked_.push_back({writes, keys});
    const std::string value = keys[0] + "=" + std::string(random.next() % 40, 'v');
    const auto bulk = [](const std::string& text) {
      return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    };
    if (protocol_ == Protocol::redis) {
      std::string out = writes ? "*3\r\n$3\r\nSET\r\n" + bulk(keys[0]) + bulk(value)
                               : "*" + std::to_string(keys.size() + 1) + "\r\n$4\r\nMGET\r\n";
      if (!writes)
        for (const auto& k : keys) out += bulk(k);
      return out;
    }
    if (writes) return "set " + keys[0] + " 0 0 " + std::to_string(value.size()) + "\r\n" + value + "\r\n";
    std::string out = "get";
    for (const auto& k : keys) out += " " + k;
    return out + "\r\n";
  }

  // Each answer belongs to the request that is its turn: values are those of the keys asked for.
  void hear(std::string_view bytes) {
    in_ += bytes;
    while (!asked_.empty() && !in_.empty() && (protocol_ == Protocol::redis ? redis() : memcached())) {
    }
    ASSERT_TRUE(!asked_.empty() || in_.empty()) << "answers that nobody asked for: " << in_;
  }
  std::size_t waiting() const { return asked_.size(); }
  const Proxy::ClientId id;
  std::size_t failures = 0;

 private:
  struct Question {
    bool writes;
    std::vector<std::string> keys;
  };
  bool memcached() {
    const Question& question = asked_.front();
    const McScan found = scan_memcached(question.writes ? McReply::line : McReply::values, in_);
    EXPECT_FALSE(found.broken) << in_;
    if (found.size == 0) return false;
    const std::string answer = in_.substr(0, found.size);
    if (answer.find("SERVER_ERROR") != answer.npos) {
      ++failures;
    } else if (question.writes) {
      EXPECT_EQ(answer, "STORED\r\n");
    }
    std::size_t next = 0;
    for (std::size_t at = answer.find("VALUE "); at != answer.npos; at = answer.find("VALUE ", at + 1)) {
      const std::string key = answer.substr(at + 6, answer.find(' ', at + 6) - at - 6);
      while (next < question.keys.size() && question.keys[next] != key) ++next;
      EXPECT_LT(next, question.keys.size()) << "not asked for, or not in order: " << answer;
      ++next;
      EXPECT_EQ(answer.find(key + "=", at + 7), answer.find("\r\n", at) + 2) << answer;
    }
    in_.erase(0, found.size);
    asked_.pop_front();
    return true;
  }
  bool redis() {
    const Question& question = asked_.front();
    const auto found = RespScanner().scan(in_);
    EXPECT_FALSE(found.broken) << in_;
    if (found.size == 0) return false;
    const std::string answer = in_.substr(0, found.size);
    if (answer.front() == '-') {
      ++failures;
    } else if (question.writes) {
      EXPECT_EQ(answer, "+OK\r\n");
    } else {
      std::string rest = answer.substr(answer.find('\n') + 1);
      EXPECT_EQ(answer.substr(0, answer.find('\r')), "*" + std::to_string(question.keys.size()));
      for (const std::string& key : question.keys) {
        const std::size_t size = RespScanner().scan(rest).size;
        if (rest[1] != '-') {
          EXPECT_EQ(rest.find(key + "="), rest.find('\n') + 1) << answer;
        }
        rest.erase(0, size);
      }
    }
    in_.erase(0, found.size);
    asked_.pop_front();
    return true;
  }

  Protocol protocol_;
  std::string in_;
  std::deque<Question> asked_;
};

class Network {
 public:
  enum class Trouble { none, servers_lost, maps_swapped };
  Network(Protocol protocol, std::uint64_t seed, Trouble trouble)
      : protocol_(protocol), random_(seed), trouble_(trouble), proxy_(pool_of(protocol, 4)), up_(4, false) {
    for (int i = 0; i < 4; ++i) servers_.emplace_back(protocol, i % 2 == 0);
    for (int i = 0; i < 5; ++i) clients_.emplace_back(protocol, proxy_.add_client());
    unsent_.resize(clients_.size());
  }

  void run(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      now_ += milliseconds(1);
      for (std::size_t c = 0; c < clients_.size(); ++c)
        if (random_.next() % 3 == 0) unsent_[c] += clients_[c].ask(random_);
      step();
      if (trouble_ == Trouble::servers_lost && random_.next() % 50 == 0)
        lose(static_cast<Proxy::ServerId>(random_.next() % servers_.size()));
      if (trouble_ == Trouble::maps_swapped && random_.next() % 10 == 0)
        proxy_.adopt(pool_of(protocol_, 2 + random_.next() % 3, random_.next() % 2));
    }
    for (int turn = 0; turn < 4000 && waiting(); ++turn) {
      now_ += milliseconds(1);
      step();
    }
  }
  bool waiting() const {
    for (const FakeClient& client : clients_)
      if (client.waiting()) return true;
    return false;
  }
  std::size_t failures() const {
    std::size_t all = 0;
    for (const FakeClient& client : clients_) all += client.failures;
    return all;
  }

 private:
  // A few bytes of each direction of each connection.
  void step() {
    proxy_.tick(now_);
    for (std::size_t c = 0; c < clients_.size(); ++c) {
      proxy_.client_in(clients_[c].id).append(take(unsent_[c]));
      proxy_.serve(clients_[c].id, now_);
    }
    proxy_.each_to_disconnect([&](Proxy::ServerId n) { lose(n); });
    proxy_.each_to_connect([&](Proxy::ServerId n) {
      servers_[n].restart();
      if (trouble_ == Trouble::servers_lost && random_.next() % 4 == 0)
        return proxy_.lost(n, "connection refused", now_);
      up_[n] = true;
      proxy_.connected(n, now_);
    });
    for (Proxy::ServerId n = 0; n < servers_.size(); ++n) {
      if (!up_[n]) continue;
      Buffer& out = proxy_.server_out(n);
      const std::size_t size = random_.next() % 60;
      servers_[n].hear(out.view().substr(0, size));
      out.consume(std::min(size, out.size()));
      proxy_.server_in(n).append(take(servers_[n].out()));
      ASSERT_TRUE(proxy_.answered(n, now_));
    }
    proxy_.each_client_to_send([](Proxy::ClientId) {});
    proxy_.each_server_to_send([](Proxy::ServerId) {});
    for (FakeClient& client : clients_) {
      Buffer& out = proxy_.client_out(client.id);
      client.hear(out.view());
      out.clear();
    }
  }
  std::string take(std::string& from) {
    const std::size_t size = std::min<std::size_t>(from.size(), random_.next() % 60);
    const std::string out = from.substr(0, size);
    from.erase(0, size);
    return out;
  }
  void lose(Proxy::ServerId n) {
    up_[n] = false;
    servers_[n].restart();
    proxy_.lost(n, "it closed the connection", now_);
  }

  Protocol protocol_;
  Splitmix64 random_;
  Trouble trouble_;
  Proxy proxy_;
  std::deque<FakeServer> servers_;
  std::vector<bool> up_;
  std::deque<FakeClient> clients_;
  std::vector<std::string> unsent_;
  Time now_{};
};

TEST(proxy, every_answer_belongs_to_its_request_whatever_the_pieces) {
  for (const Protocol protocol : {Protocol::memcached, Protocol::redis})
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      Network network(protocol, seed, Network::Trouble::none);
      network.run(200);
      ASSERT_FALSE(network.waiting()) << seed;
      ASSERT_EQ(network.failures(), 0u) << seed;
    }
}

TEST(proxy, every_answer_belongs_to_its_request_while_servers_come_and_go) {
  std::size_t failures = 0;
  for (const Protocol protocol : {Protocol::memcached, Protocol::redis})
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      Network network(protocol, seed, Network::Trouble::servers_lost);
      network.run(200);
      ASSERT_FALSE(network.waiting()) << seed;
      failures += network.failures();
    }
  EXPECT_GT(failures, 100u);
}

TEST(proxy, every_answer_belongs_to_its_request_while_maps_are_swapped_and_none_fails) {
  for (const Protocol protocol : {Protocol::memcached, Protocol::redis})
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      Network network(protocol, seed, Network::Trouble::maps_swapped);
      network.run(200);
      ASSERT_FALSE(network.waiting()) << seed;
      ASSERT_EQ(network.failures(), 0u) << seed;
    }
}

TEST(proxy, a_server_that_has_left_the_map_answers_what_it_was_asked_and_is_let_go) {
  Proxy proxy(pool_of(Protocol::memcached, 1));
  const auto id = proxy.add_client();
  proxy.client_in(id).append("get a\r\n");
  proxy.serve(id, Time(0));
  proxy.connected(0, Time(0));
  proxy.adopt(pool_of(Protocol::memcached, 2, 1));
  bool let_go = false;
  proxy.each_to_disconnect([&](Proxy::ServerId) { let_go = true; });
  EXPECT_FALSE(let_go) << "it owes an answer";
  proxy.server_in(0).append("MN\r\nVALUE a 0 1\r\n1\r\nEND\r\n");
  EXPECT_TRUE(proxy.answered(0, Time(0)));
  EXPECT_EQ(proxy.client_out(id).view(), "VALUE a 0 1\r\n1\r\nEND\r\n");
  proxy.each_to_disconnect([&](Proxy::ServerId s) { let_go = s == 0; });
  EXPECT_TRUE(let_go);
}

TEST(proxy, a_server_that_says_what_nobody_asked_for_is_given_up) {
  Proxy proxy(pool_of(Protocol::memcached, 1));
  const auto id = proxy.add_client();
  proxy.client_in(id).append("get a\r\n");
  proxy.serve(id, Time(0));
  proxy.connected(0, Time(0));
  proxy.server_in(0).append("MN\r\nEND\r\nVALUE a 0 1\r\n1\r\nEND\r\n");
  EXPECT_FALSE(proxy.answered(0, Time(0)));
  EXPECT_EQ(proxy.client_out(id).view(), "END\r\n");
}

TEST(proxy, no_answer_within_the_time_is_an_error_that_names_the_server) {
  Proxy proxy(pool_of(Protocol::memcached, 1));
  const auto id = proxy.add_client();
  proxy.client_in(id).append("get a\r\nset a 0 0 1\r\n1\r\n");
  proxy.serve(id, Time(0));
  proxy.connected(0, Time(0));
  proxy.tick(milliseconds(100));
  EXPECT_EQ(proxy.client_out(id).view(), "");
  proxy.tick(milliseconds(101));
  EXPECT_EQ(proxy.client_out(id).view(),
            "SERVER_ERROR s0: no reply for 100 ms\r\nSERVER_ERROR s0: no reply for 100 ms\r\n");
}

TEST(proxy, nothing_is_sent_to_a_server_before_it_has_answered_what_was_given_up) {
  Proxy proxy(pool_of(Protocol::memcached, 1));
  const auto id = proxy.add_client();
  const auto ask = [&](std::string_view text, Time now) {
    proxy.client_in(id).append(text);
    proxy.serve(id, now);
  };
  const auto told = [&] {
    const std::string text(proxy.client_out(id).view());
    proxy.client_out(id).clear();
    return text;
  };
  ask("set a 0 0 1\r\n1\r\n", Time(0));
  proxy.connected(0, Time(0));
  proxy.server_out(0).clear();
  proxy.tick(milliseconds(101));
  EXPECT_EQ(told(), "SERVER_ERROR s0: no reply for 100 ms\r\n");
  ask("set a 0 0 1\r\n2\r\n", milliseconds(5000));
  EXPECT_EQ(told(), "SERVER_ERROR s0: no reply for 100 ms\r\n");
  EXPECT_TRUE(proxy.server_out(0).empty()) << "the first write may still be done, and undo this one";
  proxy.server_in(0).append("MN\r\nSTORED\r\n");
  EXPECT_TRUE(proxy.answered(0, milliseconds(5001)));
  EXPECT_EQ(told(), "") << "that answer comes too late";
  ask("set a 0 0 1\r\n3\r\n", milliseconds(5002));
  EXPECT_EQ(proxy.server_out(0).view(), "set a 0 0 1\r\n3\r\n");
}

TEST(proxy, a_miss_by_policy_is_for_reads_only) {
  Pool pool = pool_of(Protocol::memcached, 1);
  pool.failing.on_failure = OnFailure::miss;
  Proxy proxy(std::move(pool));
  const auto id = proxy.add_client();
  proxy.client_in(id).append("get a b\r\nset a 0 0 1\r\n1\r\nmg a v\r\n");
  proxy.serve(id, Time(0));
  proxy.lost(0, "Connection refused", Time(0));
  EXPECT_EQ(proxy.client_out(id).view(), "END\r\nSERVER_ERROR s0: Connection refused\r\nEN\r\n");
}

TEST(proxy, a_client_that_never_reads_is_not_served_beyond_its_limits) {
  Pool pool = pool_of(Protocol::memcached, 1);
  pool.limits.requests = 10;
  Proxy proxy(std::move(pool));
  const auto id = proxy.add_client();
  for (int i = 0; i < 1000; ++i) proxy.client_in(id).append("delete a\r\n");
  proxy.serve(id, Time(0));
  EXPECT_FALSE(proxy.waits_for_service(id)) << "there is no room";
  EXPECT_FALSE(proxy.wants_bytes(id));
  EXPECT_EQ(proxy.counters().requests, 10u);
}

}  // namespace
}  // namespace arcwise::router
