// locate: where? One line a key; keys stream through in constant memory.
#include <fcntl.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "cli/cluster_args.hpp"
#include "cli/verbs.hpp"
#include "format/json_text.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t read_block = std::size_t{1} << 18;
constexpr std::size_t longest_key = std::size_t{1}
                                    << 26;  // 64 MiB: past any system's limit but Redis's own 512 MB

struct Options {
  ClusterArgs cluster;
  DownArgs down;
  std::vector<std::string> keys;
  std::string key_file;
};

std::string hex_digits(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (char c : bytes) {
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

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
      : placement_(placement), mask_(mask), session_(session) {
    for (const Node& node : placement.map().nodes()) {
      append_field(names_.emplace_back(), node.name);
      quoted_.emplace_back();
      append_json_string(quoted_.back(), node.name);
    }
    if (session.json) session.out.buffer() += "{\"schema\": \"arcwise/locate/v1\", \"locate\": [";
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
      append_object(key, hash, owners);
    } else {
      append_line(key, owners);
    }
    session_.out.spill();
  }

  void finish() {
    if (session_.json) session_.out.buffer() += "\n]}\n";
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

  void append_object(std::string_view key, KeyHash hash, std::span<const NodeIndex> owners) {
    std::string& out = session_.out.buffer();
    out += first_ ? "\n{\"key\": " : ",\n{\"key\": ";
    first_ = false;
    append_json_string(out, key);
    if (!valid_utf8(key)) {  // JSON cannot hold these bytes; the text above has U+FFFD in their place
      out += ", \"key_hex\": ";
      append_json_string(out, hex_digits(key));
    }
    out += ", \"hash\": ";
    append_json_string(out, to_text(placement_.map().space(), {hash.value}));
    out += ", \"owners\": [";
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (i) out += ", ";
      out += quoted_[owners[i]];
    }
    out += "]}";
  }

  const Placement& placement_;
  NodeMask mask_;
  Session& session_;
  std::array<NodeIndex, max_replicas> owners_;
  std::vector<std::string> names_, quoted_;
  bool first_ = true;
  bool unread_ = false;  ///< a key was not of the system, and that was said
};

Error fault(ErrorKind kind, Mark where, std::string why, std::string advice) {
  return {kind, std::move(where), "", std::move(why), std::move(advice)};
}

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number > 0) ::close(number);
  }
};

// Lines of a descriptor. Only an unfinished line is carried from one block to the next.
class Lines {
 public:
  Lines(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)), buffer_(read_block, '\0') {}

  /// Calls visit(line) for each line, without its newline; visit returns false to stop.
  template <class Visit>
  std::optional<Error> each(Visit&& visit) {
    while (true) {
      if (end_ == buffer_.size()) {
        if (buffer_.size() >= longest_key)
          return fault(ErrorKind::input, {name_, line_ + 1, 0}, "a key is longer than 64 MiB",
                       "write one key a line");
        buffer_.resize(2 * buffer_.size());
      }
      const ssize_t n = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fault(ErrorKind::io, {name_, 0, 0}, "cannot read the keys", std::strerror(errno));
      const std::size_t fresh = end_;
      end_ += static_cast<std::size_t>(n);
      if (n == 0) {
        if (end_ > 0) visit(std::string_view(buffer_.data(), end_));
        return std::nullopt;
      }
      if (!split(fresh, visit)) return std::nullopt;
    }
  }

 private:
  template <class Visit>
  bool split(std::size_t search, Visit&& visit) {
    std::size_t start = 0;
    while (search < end_) {
      const void* found = std::memchr(buffer_.data() + search, '\n', end_ - search);
      if (!found) break;
      const std::size_t newline = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      if (!visit(std::string_view(buffer_.data() + start, newline - start))) return false;
      ++line_;
      start = search = newline + 1;
    }
    std::memmove(buffer_.data(), buffer_.data() + start, end_ - start);
    end_ -= start;
    return true;
  }

  int descriptor_;
  std::string name_;
  std::string buffer_;
  std::size_t end_ = 0;
  std::uint32_t line_ = 0;
};

std::optional<Error> locate_file(const std::string& path, Locator& locator, Session& session) {
  Descriptor file{path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    return fault(ErrorKind::io, {path, 0, 0}, "cannot open the keys", std::strerror(errno));
  bool returns = false;
  const auto error = Lines(file.number, path == "-" ? "<stdin>" : path).each([&](std::string_view key) {
    if (!returns && key.ends_with('\r')) {
      returns = true;
      session.say(
          "warning: keys end in a carriage return, which is hashed with them; if that is not meant: tr -d "
          "'\\r'");
    }
    locator.locate(key);
    return !session.out.failed();
  });
  return error;
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
