// The numbered form. A list's numbers end in one column, and what follows a number belongs to it:
//
//     1) 1) "slots"
//        2) 1) (integer) 5461
//           2) (integer) 10922
//
// With the newer protocol a map's items are written 1# "slots" => value, or a list on the lines below.
#include "format/redis_reply.hpp"

#include "format/columns.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

constexpr std::size_t max_depth = 16;
constexpr std::string_view cut = "save the whole answer again";

struct Marker {
  std::uint64_t number = 0;
  std::size_t column = 0;  ///< of the sign behind the number
  bool map = false;
  std::string_view digits;
};

// "12) " or "12# " at the start of the rest of a line.
std::optional<Marker> take_marker(std::string_view line, std::string_view& rest) {
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0 || digits > 9 || digits + 1 >= rest.size()) return std::nullopt;
  const char sign = rest[digits];
  if ((sign != ')' && sign != '#') || rest[digits + 1] != ' ') return std::nullopt;
  Marker marker{*parse_count(rest.substr(0, digits), ~0U),
                static_cast<std::size_t>(rest.data() - line.data()) + digits, sign == '#',
                rest.substr(0, digits)};
  rest = rest.substr(digits + 2);
  return marker;
}

int hex_value(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The text between quotes, with redis-cli's escapes undone; `rest` then starts behind it.
std::optional<std::string> take_quoted(std::string_view& rest) {
  static constexpr std::string_view written = "\\\"nrtab", meant = "\\\"\n\r\t\a\b";
  std::string out;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return out;
    }
    if (rest[i] != '\\') {
      out += rest[i];
      continue;
    }
    if (++i >= rest.size()) return std::nullopt;
    if (const std::size_t known = written.find(rest[i]); known != std::string_view::npos) {
      out += meant[known];
    } else if (rest[i] == 'x' && i + 2 < rest.size() && hex_value(rest[i + 1]) >= 0 &&
               hex_value(rest[i + 2]) >= 0) {
      out += static_cast<char>(hex_value(rest[i + 1]) * 16 + hex_value(rest[i + 2]));
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

class NumberedLines {
 public:
  std::optional<Error> take(const TextLine& line) {
    line_ = &line;
    std::string_view rest = line.text;
    for (bool first = true;; first = false) {
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      const auto marker = take_marker(line.text, rest);
      if (!marker) break;
      if (auto error = place(*marker, first)) return error;
      if (!marker->map) continue;
      if (auto error = take_key(rest)) return error;
    }
    rest = trim(rest);
    if (rest.empty() && pending_ && !open_.empty() && open_.back().node->is(YamlNode::Kind::map)) return {};
    return value(rest);
  }

  Result<YamlNode> end(const std::vector<TextLine>& lines) {
    if (pending_ && !lines.empty())
      return lines.back().fault_at_end("the answer ends here", std::string(cut));
    return std::move(root_);
  }

 private:
  struct Open {
    YamlNode* node;
    std::size_t column;
  };

  Place place_of(std::string_view piece) const {
    const Mark mark = line_->mark(piece);
    return {mark.line, mark.column};
  }

  // A number continues the list whose numbers end in its column, or opens a list where a value is awaited.
  // Worked example: in "2) 1) (integer) 5461" the 2) continues the outer list, and the 1) opens one as its
  // second item.
  std::optional<Error> place(const Marker& marker, bool first_of_line) {
    while (!open_.empty() && open_.back().column > marker.column && first_of_line) open_.pop_back();
    const bool continues = !open_.empty() && open_.back().column == marker.column;
    const auto wrong = [&](std::string why) {
      return line_->fault(marker.digits, std::move(why), std::string(cut));
    };
    if (continues == (pending_ != nullptr)) return wrong("a number that is in no list's column");
    if (!continues) {
      if (open_.size() == max_depth) return wrong("lists in lists, deeper than any answer about a cluster");
      pending_->kind = marker.map ? YamlNode::Kind::map : YamlNode::Kind::sequence;
      pending_->at = place_of(marker.digits);
      open_.push_back({pending_, marker.column});
    }
    YamlNode& list = *open_.back().node;
    if (list.is(YamlNode::Kind::map) != marker.map) return wrong("a list and a map in one column");
    if (marker.number != list.items.size() + 1)
      return wrong("expected number " + std::to_string(list.items.size() + 1) + " of this list");
    list.items.emplace_back();
    pending_ = &list.items.back();
    pending_->at = place_of(marker.digits);
    return std::nullopt;
  }

  std::optional<Error> take_key(std::string_view& rest) {
    const std::string_view whole = rest;
    auto key = rest.starts_with('"') ? take_quoted(rest) : std::nullopt;
    if (!key || !rest.starts_with(" =>"))
      return line_->fault(whole, "expected \"name\" => value", std::string(cut));
    pending_->key_at = place_of(whole);
    pending_->key = std::move(*key);
    rest.remove_prefix(3);
    return std::nullopt;
  }

  std::optional<Error> value(std::string_view text) {
    const auto wrong = [&](std::string why, std::string_view advice) {
      return text.empty() ? line_->fault_at_end(std::move(why), std::string(advice))
                          : line_->fault(text, std::move(why), std::string(advice));
    };
    if (text.starts_with("(error)"))
      return wrong("Redis refused the command", "ask a node that runs in cluster mode");
    if (!pending_) return wrong("a value without a number", cut);
    YamlNode& node = *pending_;
    node.at = place_of(text);
    pending_ = nullptr;
    if (text.starts_with("(empty ")) {
      node.kind = YamlNode::Kind::sequence;
      return std::nullopt;
    }
    if (text == "(nil)") return std::nullopt;
    node.kind = YamlNode::Kind::scalar;
    if (text.starts_with("(integer) ")) {
      node.text = std::string(text.substr(10));
      return std::nullopt;
    }
    std::string_view rest = text;
    auto quoted = text.starts_with('"') ? take_quoted(rest) : std::nullopt;
    if (!quoted || !rest.empty()) return wrong("expected a quoted text, (integer) or (nil)", cut);
    node.quoted = true;
    node.text = std::move(*quoted);
    return std::nullopt;
  }

  YamlNode root_;
  YamlNode* pending_ = &root_;  ///< the value that comes next; null: the list that continues decides
  std::vector<Open> open_;      ///< each within the one before; only last items grow, so pointers hold
  const TextLine* line_ = nullptr;
};

YamlNode flat_list(const std::vector<TextLine>& lines) {
  YamlNode root;
  root.kind = YamlNode::Kind::sequence;
  for (const TextLine& line : lines) {
    const std::string_view text = trim(line.text);
    YamlNode& item = root.items.emplace_back();
    item.kind = text.empty() ? YamlNode::Kind::null : YamlNode::Kind::scalar;
    item.at = {line.number, line.mark(text).column};
    item.text = std::string(text);
  }
  return root;
}

}  // namespace

Result<RedisReply> read_redis_reply(const Source& source) {
  const std::size_t start = source.bytes.find_first_not_of("\xef\xbb\xbf \t\r\n");
  const std::string_view text =
      start == std::string::npos ? "" : std::string_view(source.bytes).substr(start);
  if (text.starts_with('[')) {
    auto root = read_yaml(source);
    if (!root) return root.error();
    return RedisReply{false, std::move(*root)};
  }
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  std::string_view head = text;
  if (!take_marker(text, head) && !text.starts_with('(')) return RedisReply{true, flat_list(*lines)};
  NumberedLines numbered;
  for (const TextLine& line : *lines)
    if (!trim(line.text).empty())
      if (auto error = numbered.take(line)) return *error;
  auto root = numbered.end(*lines);
  if (!root) return root.error();
  return RedisReply{false, std::move(*root)};
}

const YamlNode* reply_field(const YamlNode& map, std::string_view name) {
  if (map.is(YamlNode::Kind::map)) return map.find(name);
  for (std::size_t i = 0; i + 1 < map.items.size(); i += 2)
    if (map.items[i].is(YamlNode::Kind::scalar) && map.items[i].text == name) return &map.items[i + 1];
  return nullptr;
}

}  // namespace arcwise
