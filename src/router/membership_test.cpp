#include "router/membership.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "format/folder_testing.hpp"

namespace arcwise::router {
namespace {

Served served(std::optional<std::uint64_t> epoch, const std::string& print,
              const std::string& cluster = "carts") {
  return {cluster, epoch, print, "members-" + print};
}

TEST(membership, only_a_later_map_of_the_same_cluster_may_follow) {
  EXPECT_FALSE(check_succession(served(7, "a"), served(8, "b")));
  EXPECT_FALSE(check_succession(served(7, "a"), served(7, "a"))) << "the same once more";
  EXPECT_FALSE(check_succession(served(std::nullopt, "a"), served(std::nullopt, "b")))
      << "there are no epochs";
  for (const Served& next :
       {served(6, "a"), served(7, "b"), served(std::nullopt, "b"), served(8, "b", "sessions")}) {
    const auto error = check_succession(served(7, "a"), next);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind, ErrorKind::refused);
    EXPECT_FALSE(error->why.empty() || error->advice.empty());
  }
}

TEST(membership, what_was_served_is_remembered_whatever_the_cluster_is_called) {
  const testing::Folder own;
  const std::string& folder = own.path();
  const auto none = read_served(folder, "carts");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
  for (const std::string cluster : {"carts", "../../etc/passwd", "a b", "käse"}) {
    ASSERT_FALSE(remember_served(folder, served(7, "a", cluster)));
    const auto back = read_served(folder, cluster);
    ASSERT_TRUE(back && back->has_value()) << cluster;
    EXPECT_EQ((*back)->epoch, 7u);
    EXPECT_EQ((*back)->fingerprint, "a");
    EXPECT_EQ((*back)->membership, "members-a");
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ofstream(entry.path()) << "garbage";
  }
  EXPECT_TRUE(remember_served(folder, served(8, "b"))) << "what is not understood is not replaced";
  EXPECT_FALSE(read_served(folder, "carts"));
  EXPECT_TRUE(remember_served(folder + "/none", served(1, "a")));
}

TEST(membership, of_a_folder_that_routers_share_none_of_them_goes_back_on_another) {
  const testing::Folder own;
  ASSERT_FALSE(remember_served(own.path(), served(3, "a")));
  ASSERT_FALSE(remember_served(own.path(), served(9, "c")));
  const auto error = remember_served(own.path(), served(4, "b"));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::refused);
  EXPECT_EQ((*read_served(own.path(), "carts"))->epoch, 9u);
  EXPECT_FALSE(remember_served(own.path(), served(9, "c"))) << "the same map is no other";
}

TEST(membership, routers_that_remember_at_once_all_can_and_the_newest_map_stays) {
  constexpr std::uint64_t epochs = 50;
  const testing::Folder own;
  std::vector<std::thread> routers;
  std::atomic<unsigned> failed{0};
  for (int i = 0; i < 4; ++i)
    routers.emplace_back([&] {
      for (std::uint64_t epoch = 1; epoch <= epochs; ++epoch)
        if (const auto error = remember_served(own.path(), served(epoch, std::to_string(epoch))))
          failed += error->kind != ErrorKind::refused;  // another was faster
    });
  for (std::thread& router : routers) router.join();
  EXPECT_EQ(failed, 0u);
  EXPECT_EQ((*read_served(own.path(), "carts"))->epoch, epochs);
  for (const auto& entry : std::filesystem::directory_iterator(own.path()))
    EXPECT_TRUE(entry.path().filename() == "carts.served" || entry.path().filename() == "lock")
        << entry.path();
}

}  // namespace
}  // namespace arcwise::router
