// For tests that write a configuration from a vector file, import it, and ask for every key of the file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "format/import_testing.hpp"

namespace arcwise::testing {

using Json = nlohmann::ordered_json;

inline Json vector_json(const std::string& name) {
  return Json::parse(file_bytes("vectors/" + name + ".json"));
}

/// `"keys": {"…`: looked for in the text, because a test program asks it of every file each time it starts.
inline bool lists_keys(std::string_view text) {
  constexpr std::string_view name = "\"keys\"", space = " \n\r\t";
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return false;
  const std::size_t open = text.find_first_not_of(": \n\r\t", at + name.size());
  const std::size_t first = open == std::string_view::npos ? open : text.find_first_not_of(space, open + 1);
  return first != std::string_view::npos && text[open] == '{' && text[first] != '}';
}

/// The vector files of a system that list keys, without `.json`, sorted.
inline std::vector<std::string> vector_names(const std::string& prefix) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ARCWISE_TESTDATA) + "/vectors")) {
    const std::string name = entry.path().stem();
    if (name.starts_with(prefix) && entry.path().extension() == ".json" &&
        lists_keys(file_bytes("vectors/" + name + ".json")))
      out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

inline std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

/// Every key, with the nodes that the file shows as down skipped; `owner_of` says what the vector file calls
/// a node, where that is not its name.
inline void expect_answers(const Cluster& cluster, const Json& keys,
                           const std::map<std::string, std::string>& owner_of) {
  const Placement placement = compile(cluster.map);
  std::size_t wrong = 0;
  for (const auto& [key, owner] : keys.items()) {
    NodeIndex found = no_node;
    placement.owners({key, placement.hash(key), NodeMask(cluster.observed.down)}, {&found, 1});
    ASSERT_NE(found, no_node) << key;
    const std::string& name = cluster.map.nodes()[found].name;
    const auto renamed = owner_of.find(name);
    const std::string& mine = renamed == owner_of.end() ? name : renamed->second;
    const std::string really = owner.is_string() ? owner.get<std::string>() : owner.dump();
    if (mine != really && ++wrong <= 3)
      ADD_FAILURE() << "key '" << key << "': " << mine << ", really " << really;
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(keys.size(), 0U);
}

}  // namespace arcwise::testing
