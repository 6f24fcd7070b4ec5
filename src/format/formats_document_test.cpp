// docs/formats.md has a row for each format that is read, and none for others.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "arcwise/format.hpp"

namespace arcwise {
namespace {

TEST(formats_document, each_format_has_its_row_which_says_whether_it_stands_alone) {
  std::ifstream file(std::string(ARCWISE_SOURCE) + "/docs/formats.md");
  std::set<std::string> named;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("| `")) named.insert(line.substr(3, line.find('`', 3) - 3));
  file.clear();
  file.seekg(0);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const FormatInfo& format : formats()) {
    const std::string name(format.name);
    if (named.erase(name) == 0) {
      ADD_FAILURE() << "docs/formats.md has no row for " << name;
      continue;
    }
    const std::size_t row = text.find("| `" + name + "` |");
    const std::string line = text.substr(row, text.find('\n', row) - row);
    EXPECT_EQ(line.ends_with("| beside another |"), !format.enough) << name;
  }
  EXPECT_TRUE(named.empty()) << *named.begin() << " is no format";
}

}  // namespace
}  // namespace arcwise
