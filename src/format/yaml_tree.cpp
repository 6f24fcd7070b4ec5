#include "format/yaml_tree.hpp"

#include <algorithm>

#include "model/text.hpp"

namespace arcwise {

const YamlNode* YamlNode::find(std::string_view name) const {
  if (kind == Kind::map)
    for (const YamlNode& item : items)
      if (item.key == name) return &item;
  return nullptr;
}

void YamlTree::refuse(Place at, std::string what, std::string why, std::string advice) const {
  throw YamlRefusal{fault_at(source_, at, std::move(what), std::move(why), std::move(advice))};
}

void YamlTree::count(Place at) {
  if (++values_ > yaml_max_values)
    refuse(at, text_at(source_, at), "more than " + std::to_string(yaml_max_values) + " values in one file",
           "split the file, or give fewer tokens");
}

void YamlTree::null(Place at) {
  count(at);
  if (takes_key())
    refuse(at, text_at(source_, at), "a key is missing before the value", "write `key: value`");
  // An empty value stands nowhere, so its place is its key's.
  YamlNode node;
  node.at = !open_.empty() && open_.back().node.is(YamlNode::Kind::map) ? open_.back().key_at : at;
  add(std::move(node));
}

void YamlTree::scalar(Place at, std::string text, bool quoted) {
  count(at);
  if (text.size() > yaml_max_text)
    refuse(at, text_at(source_, at), "a text longer than " + std::to_string(yaml_max_text) + " bytes",
           "shorten it");
  std::size_t offset = 0;
  if (next_fault(text, offset) != TextFault::none)
    refuse(at, text, "a text with a control character", "use printable text");
  if (takes_key()) return take_key(at, std::move(text));
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.at = at;
  node.text = std::move(text);
  node.quoted = quoted;
  add(std::move(node));
}

void YamlTree::open(Place at, YamlNode::Kind kind) {
  count(at);
  if (takes_key())
    refuse(at, text_at(source_, at),
           "a list or map stands where a key is needed, or its bracket is not closed", "write `key: value`");
  if (open_.size() >= yaml_max_depth)
    refuse(at, text_at(source_, at), "nested deeper than " + std::to_string(yaml_max_depth) + " levels",
           "a map file needs four levels");
  Frame frame;
  frame.node.kind = kind;
  frame.node.at = at;
  frame.key_next = kind == YamlNode::Kind::map;
  open_.push_back(std::move(frame));
}

void YamlTree::close() {
  YamlNode node = std::move(open_.back().node);
  open_.pop_back();
  add(std::move(node));
}

void YamlTree::take_key(Place at, std::string text) {
  Frame& frame = open_.back();
  const auto [first, fresh] = frame.seen.emplace(text, at);
  if (!fresh)
    refuse(at, text,
           "a key is given twice: first on line " + std::to_string(first->second.line) + ", column " +
               std::to_string(first->second.column),
           "drop one of them");
  frame.key = std::move(text);
  frame.key_at = at;
  frame.key_next = false;
}

void YamlTree::add(YamlNode node) {
  if (open_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& frame = open_.back();
  if (frame.node.is(YamlNode::Kind::map)) {
    node.key = std::move(frame.key);
    node.key_at = frame.key_at;
    frame.key_next = true;
  }
  frame.node.items.push_back(std::move(node));
}

std::string_view without_bom(std::string_view bytes) {
  if (bytes.substr(0, 3) == "\xef\xbb\xbf") bytes.remove_prefix(3);
  return bytes;
}

// A quote within the text has an odd number of backslashes before it: in "a\\\"b" the inner one has three,
// the opening one none.
std::size_t opening_quote(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0) {
    --at;
    if (text[at] != '"') continue;
    std::size_t slashes = 0;
    while (slashes < at && text[at - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) break;
  }
  return at;
}

Place PlaceCounter::at(std::size_t offset) {
  offset = std::min(offset, text_.size());
  for (; offset_ < offset; ++offset_)
    if (text_[offset_] == '\n') {
      ++line_;
      line_start_ = offset_ + 1;
    }
  return {line_, static_cast<std::uint32_t>(offset - line_start_ + 1)};
}

}  // namespace arcwise
