// locate: where? One line a key; keys stream through in constant memory.
#include <array>
#include <memory>

#include "cli/cluster_args.hpp"
#include "cli/key_lines.hpp"
#include "cli/verbs.hpp"
#include "format/json_text.hpp"
#include "format/locate_json.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

struct Options {
  ClusterArgs cluster;
  DownArgs down;
  std::vector<std::string> keys;
  std::string key_file;
};

// As it is, or as a JSON string where it holds what separates fields, names and lines. Bytes that are not
// UTF-8 stay, so that a key can be told from another.
void append_field(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\t\n") == std::string_view::npos) {
    out += text;
    return;
  }
  if (valid_utf8(text)) return append_json_string(out, text);
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += "\\u00" + hex_digits({&c, 1});
    else
      out += c;
  }
  out += '"';
}

class Locator {
 public:
  Locator(const Placement& placement, NodeMask mask, Session& session)
      : placement_(placement), mask_(mask), session_(session), json_(placement) {
    for (const Node& node : placement.map().nodes()) append_field(names_.emplace_back(), node.name);
    if (session.json) json_.begin(session.out.buffer());
  }

  void locate(std::string_view key) {
    const KeyHash hash = placement_.hash(key);
    if (!unread_ && !placement_.reads(key)) {
      unread_ = true;
      session_.say(
          "warning: '" + printable(key.substr(0, 80)) +
          "' is no key of this system, nor may others be: such keys are placed by their bytes as they "
          "stand");
    }
    const std::size_t n = placement_.owners({key, hash, mask_}, owners_);
    const std::span<const NodeIndex> owners(owners_.data(), n);
    if (session_.json) {
      json_.add(session_.out.buffer(), key, hash, owners);
    } else {
      append_line(key, owners);
    }
    session_.out.spill();
  }

  void finish() {
    if (session_.json) json_.end(session_.out.buffer());
  }

 private:
  void append_line(std::string_view key, std::span<const NodeIndex> owners) {
    std::string& out = session_.out.buffer();
    append_field(out, key);
    char before = '\t';
    for (NodeIndex n : owners) {
      out += before;
      out.append(names_[n]);
      before = ',';
    }
    if (owners.empty()) out += '\t';
    out += '\n';
  }

  const Placement& placement_;
  NodeMask mask_;
  Session& session_;
  std::array<NodeIndex, max_replicas> owners_;
  std::vector<std::string> names_;
  LocateJson json_;
  bool unread_ = false;  ///< a key was not of the system, and that was said
};

std::optional<Error> locate_file(const std::string& path, Locator& locator, Session& session) {
  return each_key(path, session, [&](std::string_view key) {
    locator.locate(key);
    return !session.out.failed();
  });
}

std::optional<Error> refused(const Options& options) {
  if (options.keys.empty() && options.key_file.empty())
    return usage_error("", "no key is given",
                       "name keys, or --keys FILE with one key a line (- is standard input)");
  const bool map_on_stdin = options.cluster.files.front() == "-";
  if (map_on_stdin && options.key_file == "-")
    return usage_error("-", "the map and the keys cannot both come from standard input",
                       "name a file for one of them");
  return std::nullopt;
}

}  // namespace

Action declare_locate(Args& args) {
  auto options = std::make_shared<Options>();
  args.operands("MAP", options->cluster.files, "a map, or another system's file; - is standard input", 1)
      .single()
      .files();
  args.operands("KEY", options->keys, "keys to look up", 0);
  args.option("--keys", "FILE", options->key_file,
              "one key a line, any bytes but a newline; - is standard input")
      .files();
  options->down.declare(args, "skip these nodes, as a router that believes them down would");
  options->cluster.declare_reading(args);
  options->cluster.declare_policy(args);
  return [options](Session& session) -> Result<int> {
    if (auto error = refused(*options)) return *error;
    const auto loaded = options->cluster.load();
    if (!loaded) return loaded.error();
    const auto down = options->down.resolve(loaded->cluster.map);
    if (!down) return down.error();
    Locator locator(loaded->placement, down->empty() ? NodeMask() : NodeMask(*down), session);
    for (const std::string& key : options->keys) locator.locate(key);
    if (!options->key_file.empty())
      if (auto error = locate_file(options->key_file, locator, session)) return *error;
    locator.finish();
    return 0;
  };
}

}  // namespace arcwise::cli
