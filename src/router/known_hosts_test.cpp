#include "router/known_hosts.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>

namespace arcwise::router {
namespace {

using std::chrono::milliseconds;

// Answers with what it was told; about other names it is silent until it is told.
class Resolver {
 public:
  void tell(const std::string& name, const std::string& address) {
    {
      const std::lock_guard lock(mutex_);
      told_[name] = address;
    }
    told_more_.notify_all();
  }
  Result<Address> look_up(const std::string& name) {
    std::unique_lock lock(mutex_);
    ++asked_[name];
    told_more_.wait(lock, [&] { return told_.count(name) > 0; });
    if (told_[name].empty()) return address_error(name, "no such host");
    return router::look_up(told_[name]);
  }
  unsigned asked(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return asked_[name];
  }

 private:
  std::mutex mutex_;
  std::condition_variable told_more_;
  std::map<std::string, std::string> told_;
  std::map<std::string, unsigned> asked_;
};

struct Names : ::testing::Test {
  std::string found(const std::string& name) const {
    const auto address = hosts.find(name);
    return address ? text_of(*address->get()) : address.error().why;
  }
  // Its threads may outlive the test.
  std::shared_ptr<Resolver> resolver = std::make_shared<Resolver>();
  KnownHosts hosts{[own = resolver](const std::string& name) { return own->look_up(name); }};
  static constexpr milliseconds soon{100}, long_enough{10'000};
};

TEST_F(Names, addresses_and_paths_are_known_unasked) {
  hosts.keep("pool", {"127.0.0.1:11211", "[::1]:11211", "/run/m.sock"});
  EXPECT_TRUE(hosts.await({"127.0.0.1:11211", "[::1]:11211", "/run/m.sock"}, long_enough).empty());
  EXPECT_EQ(found("[::1]:11211"), "[::1]:11211");
  EXPECT_EQ(found("/run/m.sock"), "/run/m.sock");
}

TEST_F(Names, one_that_is_silent_holds_up_no_other_and_is_told) {
  resolver->tell("b:1", "10.0.0.2:1");
  hosts.keep("pool", {"a:1", "b:1"});
  const auto unknown = hosts.await({"a:1", "b:1"}, soon);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].address, "a:1");
  EXPECT_EQ(found("b:1"), "10.0.0.2:1");
  EXPECT_EQ(hosts.await({"a:1"}, soon).size(), 1u);
  resolver->tell("a:1", "10.0.0.1:1");
  EXPECT_TRUE(hosts.await({"a:1"}, long_enough).empty());
  EXPECT_EQ(found("a:1"), "10.0.0.1:1");
}

TEST_F(Names, one_that_is_not_found_any_more_stays_what_it_was) {
  resolver->tell("a:1", "10.0.0.1:1");
  hosts.keep("pool", {"a:1"});
  ASSERT_TRUE(hosts.await({"a:1"}, long_enough).empty());
  resolver->tell("a:1", "");
  hosts.renew();
  resolver->tell("b:1", "");
  hosts.keep("other", {"b:1"});
  const auto unknown = hosts.await({"a:1", "b:1"}, long_enough);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].why, "no such host");
  EXPECT_EQ(found("a:1"), "10.0.0.1:1");
}

TEST_F(Names, those_that_nobody_needs_any_more_are_forgotten_and_not_asked_for) {
  for (const char* name : {"a:1", "b:1", "c:1"}) resolver->tell(name, "10.0.0.1:1");
  hosts.keep("one", {"a:1", "b:1"});
  hosts.keep("two", {"b:1"});
  ASSERT_TRUE(hosts.await({"a:1", "b:1"}, long_enough).empty());
  hosts.keep("one", {"c:1"});
  ASSERT_TRUE(hosts.await({"c:1"}, long_enough).empty());
  const unsigned before = resolver->asked("a:1");
  hosts.renew();
  EXPECT_EQ(found("a:1"), "its name was not asked for");
  EXPECT_EQ(found("b:1"), "10.0.0.1:1");
  resolver->tell("d:1", "10.0.0.4:1");
  hosts.keep("three", {"d:1"});
  ASSERT_TRUE(hosts.await({"d:1"}, long_enough).empty());
  EXPECT_EQ(resolver->asked("a:1"), before);
}

}  // namespace
}  // namespace arcwise::router
