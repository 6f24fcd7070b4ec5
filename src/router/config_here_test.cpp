#include <arpa/inet.h>
#include <ifaddrs.h>
#include <unistd.h>

#include <memory>

#include "router/config_testing.hpp"

namespace arcwise::router {
namespace {

using testing::Folder;
using testing::read;
using testing::read_as;
using testing::with;

TEST(config_here, files_and_folders_that_are_of_no_use_are_told_with_their_place) {
  const testing::Folder folder;
  auto config = read(with("state: /nowhere/at/all\n"));
  ASSERT_TRUE(config) << to_string(config.error());
  auto error = check_here(*config);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->where.line, 7u);
  EXPECT_NE(to_string(*error).find("`state` cannot be written to: No such file"), std::string::npos)
      << to_string(*error);
  EXPECT_EQ(error->kind, ErrorKind::io);
  config->daemon.state = folder.file("file");
  std::ofstream(config->daemon.state) << "short";
  EXPECT_NE(to_string(*check_here(*config)).find("it is no folder"), std::string::npos);
  config->daemon.admin_token = config->daemon.state;
  config->daemon.state = folder.file("");
  error = check_here(*config);
  ASSERT_TRUE(error);
  EXPECT_NE(to_string(*error).find("fewer than 16 characters"), std::string::npos) << to_string(*error);
  std::ofstream(config->daemon.admin_token) << "0123456789abcdef\n";
  EXPECT_FALSE(check_here(*config));
}

std::string pool(const std::string& name, const std::string& listen, const std::string& server = "h:1") {
  return "  " + name + ":\n    listen: \"" + listen +
         "\"\n    protocol: memcached\n    map: {arcwise: 1, cluster: " + name +
         ", placement: {recipe: ring}, nodes: [{name: a, address: \"" + server + "\"}]}\n";
}

struct Said {
  std::string error;
  std::vector<std::string> notes;  ///< of the router, then of the first pool
};

Said said_of(const std::string& top, const std::string& pools) {
  auto config = read("arcwised: 1\n" + top + "pools:\n" + pools);
  if (!config) return {"not here: " + to_string(config.error()), {}};
  const auto error = check_here(*config);
  Said said{error ? to_string(*error) : "", config->notes};
  for (const std::string& note : config->pools[0].pool.notes) said.notes.push_back(note);
  return said;
}

// An address of this machine beside the loopback's; empty: it has none.
std::string own_address() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all)) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, freeifaddrs);
  for (const ifaddrs* at = all; at; at = at->ifa_next) {
    if (!at->ifa_addr || at->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr, text, sizeof text);
    if (!std::string(text).starts_with("127.")) return text;
  }
  return {};
}

TEST(config_here, a_name_that_nobody_knows_is_told_with_its_place) {
  const std::string pools = said_of("", pool("p", "127.0.0.1:0") + pool("q", "nowhere.invalid:22121")).error;
  EXPECT_NE(pools.find("yaml:8: `listen`: "), std::string::npos) << pools;
  EXPECT_NE(pools.find("nowhere.invalid:22121"), std::string::npos) << pools;
  const std::string admin = said_of("admin: nowhere.invalid:9900\n", pool("p", "127.0.0.1:0")).error;
  EXPECT_NE(admin.find("yaml:2: `admin`: "), std::string::npos) << admin;
  EXPECT_EQ(said_of("admin: :0\n", pool("p", "localhost:0") + pool("q", "[::1]:0")).error, "");
}

// It may get it before the router starts.
TEST(config_here, an_address_that_this_machine_does_not_have_is_noted) {
  const auto said = said_of("", pool("p", "203.0.113.77:22121"));
  EXPECT_EQ(said.error, "");
  ASSERT_EQ(said.notes.size(), 1u);
  EXPECT_NE(said.notes[0].find("no interface of this machine has that address"), std::string::npos);
  const auto admin = said_of("admin: 203.0.113.77:9900\n", pool("p", "127.0.0.1:0"));
  ASSERT_EQ(admin.notes.size(), 1u);
  EXPECT_EQ(admin.notes[0].find("`admin` ("), 0u);
  EXPECT_TRUE(said_of("", pool("p", "127.0.0.1:22121")).notes.empty());
}

TEST(config_here, the_folder_of_a_unix_socket_must_be_there_and_its_place_free_for_one) {
  const Folder folder;
  const auto error_of = [](const std::string& listen) { return said_of("", pool("p", listen)).error; };
  const std::string missing = error_of(folder.file("none/a.sock") + " 0660");
  EXPECT_NE(missing.find("yaml:4: `listen`: no socket can be made in this folder: No such file"),
            std::string::npos)
      << missing;
  std::ofstream(folder.file("file")) << "text";
  EXPECT_NE(error_of(folder.file("file/a.sock")).find("it is no folder"), std::string::npos);
  EXPECT_NE(error_of(folder.file("file")).find("a file that is no socket is there"), std::string::npos);
  EXPECT_EQ(error_of(folder.file("a.sock") + " 0660"), "");
  EXPECT_NE(said_of("admin: " + folder.file("none/a.sock") + "\n", pool("p", "127.0.0.1:0"))
                .error.find("yaml:2: `admin`: no socket can be made"),
            std::string::npos);
}

// Root may do anything, so that somebody else tries.
TEST(config_here, a_folder_of_somebody_else_is_told) {
  const Folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const auto tried = [&] {
    if (getuid() == 0 && setuid(65534)) return false;
    Config config;
    config.daemon.state = folder.path();
    const auto error = check_here(config);
    return error && to_string(*error).find("cannot be written to: Permission denied") != std::string::npos;
  };
  EXPECT_EXIT(_exit(tried() ? 0 : 1), ::testing::ExitedWithCode(0), "");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
}

TEST(config_here, permissions_that_are_none_or_that_let_nobody_in_are_told) {
  for (const char* mode : {"0999", "0888", "1777", "-660", "rw", "0660x", "", "0444"}) {
    const std::string error = said_of("", pool("p", std::string("/tmp/a.sock ") + mode)).error;
    EXPECT_NE(error.find("yaml:4:13: `listen`: "), std::string::npos) << mode << " " << error;
    EXPECT_NE(error.find("write for example /tmp/a.sock 0660"), std::string::npos) << error;
  }
  for (const char* mode : {" 0660", " 0777", " 600", ""})
    EXPECT_EQ(said_of("", pool("p", std::string("/tmp/a.sock") + mode)).error, "") << mode;
  EXPECT_NE(said_of("", pool("p", "/tmp/" + std::string(103, 'x') + " 0660")).error.find("too long a path"),
            std::string::npos);
  EXPECT_EQ(said_of("", pool("p", "/tmp/" + std::string(102, 'x') + " 0660")).error, "");
}

TEST(config_here, an_address_of_this_machine_is_known_to_be_the_same_place_as_all_of_them) {
  const std::string own = own_address();
  ASSERT_NE(own, "") << "this test needs an address beside the loopback's";
  for (const bool swapped : {false, true}) {
    const std::string one = (swapped ? own : "0.0.0.0") + ":22121",
                      other = (swapped ? "0.0.0.0" : own) + ":22121";
    EXPECT_NE(said_of("", pool("p", one) + pool("q", other)).error.find("pool p listens on"),
              std::string::npos);
    EXPECT_NE(said_of("admin: " + one + "\n", pool("p", other)).error.find("`admin` cannot"),
              std::string::npos);
  }
  EXPECT_EQ(said_of("", pool("p", "127.0.0.1:22121") + pool("q", own + ":22121")).error, "");
  // A server there is the router itself.
  const auto loops = [&](const std::string& listen, const std::string& server) {
    return said_of("", pool("p", listen, server)).error.find("go round and round") != std::string::npos;
  };
  EXPECT_TRUE(loops("0.0.0.0:22121", own + ":22121"));
  EXPECT_TRUE(loops("[::]:22121", own + ":22121"));
  EXPECT_FALSE(loops("0.0.0.0:22121", own + ":22122"));
  EXPECT_FALSE(loops("127.0.0.1:22121", own + ":22121"));
  EXPECT_FALSE(loops("0.0.0.0:22121", "203.0.113.77:22121")) << "another machine's";
}

// `127.1` is no address as the configuration writes them, and is looked up as names are.
TEST(config_here, names_are_the_places_that_they_stand_for) {
  EXPECT_NE(said_of("", pool("p", "127.0.0.1:22121") + pool("q", "127.1:22121")).error.find("pool p listens"),
            std::string::npos);
  EXPECT_NE(said_of("", pool("p", "127.0.0.1:22121", "127.1:22121")).error.find("round and round"),
            std::string::npos);
  EXPECT_EQ(said_of("", pool("p", "127.0.0.1:22121", "127.1:22122")).error, "");
  EXPECT_EQ(said_of("", pool("p", "127.0.0.1:22121", "nowhere.invalid:22121")).error, "");
}

TEST(config_here, a_fault_in_a_maps_file_is_told_with_that_file_its_line_and_the_pool_that_names_it) {
  const Folder folder;
  const std::string path = folder.file("config_test.yaml");
  const auto error_of = [&](const std::string& map) {
    std::ofstream(folder.file("map.yaml")) << map;
    const auto config = read_as(path,
                                "arcwised: 1\npools:\n  p:\n    listen: 127.0.0.1:0\n    protocol: redis\n"
                                "    map: map.yaml\n");
    return config ? "" : to_string(config.error());
  };
  const std::string head =
      "arcwise: 1\ncluster: c\nplacement: {recipe: ring}\nnodes:\n  - {name: a, address: \"h:1\"}\n";
  const struct {
    std::string map, place, why;
  } wrong[] = {
      {"arcwise: 1\nplacement: {recipe: rong}\nnodes: [{name: a}]\n", "map.yaml:2:21: ", "unknown recipe"},
      {head + "  - {name: b}\n  - {name: c, address: \"h:2\"}\n", "map.yaml:6:5: ", "no address"},
      {head + "  - {name: b, address: h}\n", "map.yaml:6:24: ", "not an address"},
      {head + "  - {name: a, address: \"h:2\"}\n", "map.yaml:6:", "a"},
      {"", "map.yaml: ", "empty"},
  };
  for (const auto& each : wrong) {
    const std::string error = error_of(each.map);
    EXPECT_EQ(error.find(folder.file(each.place)), 0u) << error;
    EXPECT_NE(error.find(each.why), std::string::npos) << error;
    EXPECT_NE(error.find(" (in the map of pool p, " + path + ":6)"), std::string::npos) << error;
  }
  EXPECT_EQ(error_of(head), "");
}

}  // namespace
}  // namespace arcwise::router
