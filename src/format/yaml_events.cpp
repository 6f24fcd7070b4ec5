// yaml-cpp's events into the tree. It lets pass more than a map may hold, so the source text is asked again:
// is the text in quotes closed, is it on one line, does an anchor or a tag stand before it?
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "format/yaml_tree.hpp"

namespace arcwise {
namespace {

class Events : public YAML::EventHandler {
 public:
  Events(const Source& source, std::string_view text, YamlTree& tree)
      : source_(source), text_(text), tree_(tree) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      tree_.refuse(place(mark), text_at(source_, place(mark)), "a second document in the file",
                   "keep one document a file");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_properties(mark, "?", anchor);
    tree_.null(place(mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_properties(mark, "?", 1); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_properties(mark, tag, anchor);
    const char first = byte(mark.pos);
    const bool quoted = first == '"' || first == '\'';
    if (first == '|' || first == '>' ||
        !(quoted ? closes(mark) : text_.substr(offset(mark), value.size()) == value))
      tree_.refuse(place(mark), text_at(source_, place(mark)), "a text that does not end on its line",
                   quoted ? "close the quote" : "put a comma, a key or quotes where they belong");
    tree_.scalar(place(mark), value, quoted);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_properties(mark, tag, anchor);
    tree_.open(place(mark), YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { tree_.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_properties(mark, tag, anchor);
    tree_.open(place(mark), YamlNode::Kind::map);
  }
  void OnMapEnd() override { tree_.close(); }

  Place place(const YAML::Mark& mark) const {
    if (mark.is_null() || mark.line < 0) return {};
    return {static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
  }

 private:
  static std::size_t offset(const YAML::Mark& mark) {
    return static_cast<std::size_t>(mark.pos < 0 ? 0 : mark.pos);
  }
  char byte(int at) const {
    return at >= 0 && static_cast<std::size_t>(at) < text_.size() ? text_[static_cast<std::size_t>(at)]
                                                                  : '\0';
  }

  // A node's mark is at its first property, and nothing else may begin with these characters.
  void refuse_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    const char first = byte(mark.pos);
    const bool tagged = !tag.empty() && tag != "?" && tag != "!";
    if (first != '&' && first != '*' && first != '!' && !tagged && anchor == 0) return;
    tree_.refuse(place(mark), text_at(source_, place(mark)), "anchors, aliases and tags are not read",
                 "write the value itself, in quotes where it starts with &, * or !");
  }

  // yaml-cpp ends an open single quote with the file.
  bool closes(const YAML::Mark& mark) const {
    const std::size_t start = offset(mark);
    const char quote = text_[start];
    for (std::size_t at = start + 1; at < text_.size() && text_[at] != '\n'; ++at) {
      if (quote == '"' && text_[at] == '\\')
        ++at;
      else if (text_[at] == quote && quote == '\'' && text_.substr(at + 1, 1) == "'")
        ++at;
      else if (text_[at] == quote)
        return true;
    }
    return false;
  }

  const Source& source_;
  std::string_view text_;
  YamlTree& tree_;
  int documents_ = 0;
};

[[noreturn]] void refuse_syntax(const Source& source, const YamlTree& tree, const Events& events,
                                const YAML::ParserException& e) {
  const bool open_flow = e.msg.find("flow not found") != std::string::npos;
  Place at = open_flow && tree.innermost().line ? tree.innermost() : events.place(e.mark);
  if (at.line == 0) at = {1, 1};
  tree.refuse(
      at, text_at(source, at),
      open_flow ? "this list or map is not closed, or a comma is missing in it" : "not valid YAML: " + e.msg,
      open_flow ? "close it with ] or }"
                : "look at the indentation, quotes and brackets at and before this place");
}

}  // namespace

void read_yaml_events(const Source& source, std::string_view text, YamlTree& tree) {
  std::istringstream in{std::string(text)};
  Events events(source, text, tree);
  try {
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(events))
      tree.refuse({1, 1}, "", "the file is empty", "start with `arcwise: 1`");
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::ParserException& e) {
    refuse_syntax(source, tree, events, e);
  }
}

}  // namespace arcwise
