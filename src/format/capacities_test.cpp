#include "format/capacities.hpp"

#include <gtest/gtest.h>

namespace arcwise {
namespace {

std::string fault(const std::string& text) {
  const auto read = parse_capacities({"capacities", text});
  return read ? "" : to_string(read.error());
}

TEST(Capacities, are_lines_or_a_map_with_sizes_or_numbers) {
  for (const char* text :
       {"# declared\nn1 4TB\n10.0.0.2:11211\t 1.5 TiB \n\nn3 7", "n1: 4TB\n10.0.0.2:11211: 1.5 TiB\nn3: 7",
        "{\"n1\": \"4TB\", \"10.0.0.2:11211\": \"1.5 TiB\", \"n3\": 7}"}) {
    const auto read = parse_capacities({"capacities", text});
    ASSERT_TRUE(read.ok()) << text << ": " << to_string(read.error());
    ASSERT_EQ(read->size(), 3U) << text;
    EXPECT_EQ((*read)[0].node, "n1");
    EXPECT_EQ((*read)[0].capacity, 4e12);
    EXPECT_EQ((*read)[1].node, "10.0.0.2:11211");
    EXPECT_EQ((*read)[1].capacity, 1.5 * 1024 * 1024 * 1024 * 1024);
    EXPECT_EQ((*read)[2].capacity, 7);
  }
}

TEST(Capacities, what_is_no_capacity_is_refused_with_its_line) {
  struct Case {
    const char *text, *where, *why;
  };
  for (const Case& c :
       {Case{"n1 4TB\nn2", "capacities:2:1", "a node without its capacity"},
        Case{"n1 4TB\nn2 much", "capacities:2:4", "no size from 0.001 to 1000EB"},
        Case{"n1 0", "capacities:1:4", "no size from 0.001 to 1000EB"},
        Case{"n1 -4TB", "capacities:1:4", "no size from 0.001 to 1000EB"},
        Case{"n1 4TB\n\nn1 5TB", "capacities:3:1", "declared twice"},
        Case{"n1: 4TB\nn2: [1]", "capacities:2:5", "is no size from 0.001 to 1000EB"},
        Case{"n1: 4TB\nn1: 5TB", "capacities:2:1", ""}, Case{"", "", "no capacity is declared"}}) {
    EXPECT_NE(fault(c.text).find(c.where), std::string::npos) << c.text << ": " << fault(c.text);
    EXPECT_NE(fault(c.text).find(c.why), std::string::npos) << c.text << ": " << fault(c.text);
  }
}

}  // namespace
}  // namespace arcwise
