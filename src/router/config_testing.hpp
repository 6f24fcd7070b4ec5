#pragma once
// Configurations of one test: what stands in the file, and what becomes of it.

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "format/folder_testing.hpp"
#include "router/config.hpp"

namespace arcwise::router::testing {

using arcwise::testing::Folder;

inline constexpr const char* plain_map =
    "{arcwise: 1, cluster: c, placement: {recipe: ring}, nodes: [{name: a, address: \"127.0.0.1:1\"}]}";

/// One pool, whose settings go on with these.
inline std::string with(const std::string& settings) {
  return std::string(
             "arcwised: 1\npools:\n  p:\n    listen: 127.0.0.1:0\n    protocol: memcached\n    map: ") +
         plain_map + "\n" + settings;
}

inline Result<Config> read_as(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  auto config = read_config(path);
  if (config)
    if (auto error = check(*config)) return *error;
  return config;
}

inline Result<Config> read(const std::string& text) {
  const Folder folder;
  return read_as(folder.file("config_test.yaml"), text);
}

}  // namespace arcwise::router::testing
