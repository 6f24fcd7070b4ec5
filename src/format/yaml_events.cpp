// yaml-cpp's events into the tree. It lets pass more than a map may hold, so the source text is asked again:
// is the text in quotes closed, is it on one line, does an anchor or a tag stand before it?
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "format/yaml_tree.hpp"

namespace arcwise {
namespace {

constexpr const char* properties_why = "anchors, aliases and tags are not read";
constexpr const char* properties_advice = "write the value itself, in quotes where it starts with &, * or !";

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

  static Place place(const YAML::Mark& mark) {
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
    tree_.refuse(place(mark), text_at(source_, place(mark)), properties_why, properties_advice);
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

struct Advice {
  std::string_view message;  ///< part of yaml-cpp's
  std::string_view why, advice;
};
constexpr Advice open_flow{"flow not found", "this list or map is not closed, or a comma is missing in it",
                           "close it with ] or }"};
constexpr Advice open_quote{"EOF in scalar", "a quote is not closed", "close the quote"};
constexpr Advice tab{"", "a tab in the indentation", "indent with spaces"};
constexpr Advice surrogate{"", "a surrogate pair, which is an escape of JSON and not of YAML",
                           "write the character itself, or \\U and its eight hex digits"};
constexpr Advice alias{"anchor is not defined", properties_why, properties_advice};

// yaml-cpp says what it missed where it missed it; the mistake is often before.
[[noreturn]] void refuse_syntax(const Source& source, std::string_view text, const YamlTree& tree,
                                const YAML::ParserException& e) {
  Place at = e.mark.is_null() ? Place{1, 1} : Events::place(e.mark);
  const auto refuse = [&](const Advice& advice) {
    tree.refuse(at, text_at(source, at), std::string(advice.why), std::string(advice.advice));
  };
  const auto says = [&](const Advice& advice) { return e.msg.find(advice.message) != std::string::npos; };
  if (says(alias)) refuse(alias);
  if (says(open_quote)) {
    at = PlaceCounter(text).at(opening_quote(text, text.size() + 1));
    refuse(open_quote);
  }
  // These are marked behind the escape that they are about.
  for (std::string_view words : {"escape character", "unicode", "hex number"})
    if (e.msg.find(words) != std::string::npos && e.mark.pos > 0)
      at = PlaceCounter(text).at(text.rfind('\\', static_cast<std::size_t>(e.mark.pos - 1)));
  const std::string escape = text_at(source, at).substr(0, 4);
  if (escape.size() == 4 && (escape.starts_with("\\ud") || escape.starts_with("\\uD")) &&
      std::string_view("89abcdefABCDEF").find(escape[3]) != std::string_view::npos)
    refuse(surrogate);
  const std::string line = text_at(source, {at.line, 1});
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  if (const std::size_t found = line.substr(0, indent).find('\t'); found != std::string::npos) {
    at.column = static_cast<std::uint32_t>(found + 1);
    refuse(tab);
  }
  if (says(open_flow)) {
    if (tree.innermost().line) at = tree.innermost();
    refuse(open_flow);
  }
  tree.refuse(at, text_at(source, at), "not valid YAML: " + e.msg,
              "look at the indentation, quotes and brackets at and before this place");
}

}  // namespace

void read_yaml_events(const Source& source, std::string_view text, YamlTree& tree) {
  std::istringstream in{std::string(text)};
  Events events(source, text, tree);
  try {
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(events))
      tree.refuse({1, 1}, text_at(source, {1, 1}), "the file is empty", "start with `arcwise: 1`");
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::ParserException& e) {
    refuse_syntax(source, text, tree, e);
  }
}

}  // namespace arcwise
