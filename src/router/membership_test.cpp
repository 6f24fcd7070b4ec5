#include "router/membership.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
    ASSERT_FALSE(write_served(folder, served(7, "a", cluster)));
    const auto back = read_served(folder, cluster);
    ASSERT_TRUE(back && back->has_value()) << cluster;
    EXPECT_EQ((*back)->epoch, 7u);
    EXPECT_EQ((*back)->fingerprint, "a");
    EXPECT_EQ((*back)->membership, "members-a");
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ofstream(entry.path()) << "garbage";
  }
  EXPECT_FALSE(read_served(folder, "carts"));
  EXPECT_TRUE(write_served(folder + "/none", served(1, "a")));
}

}  // namespace
}  // namespace arcwise::router
