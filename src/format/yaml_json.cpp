// nlohmann-json's events into the same tree. Its events carry no position; the iterator that feeds it counts
// the bytes it has taken, and the parser takes none beyond a token but the one that ends a number.
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

#include "format/yaml_tree.hpp"

namespace arcwise {
namespace {

using Json = nlohmann::json;

class CountingIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator() = default;
  CountingIterator(const char* at, std::size_t* taken) : at_(at), taken_(taken) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*taken_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_ = nullptr;
  std::size_t* taken_ = nullptr;
};

class JsonEvents : public nlohmann::json_sax<Json> {
 public:
  JsonEvents(const Source& source, std::string_view text, YamlTree& tree, const std::size_t& taken)
      : source_(source), text_(text), tree_(tree), taken_(taken), places_(text) {}

  std::optional<Error> error;

  bool null() override {
    tree_.null(places_.at(taken_ - 4));
    return true;
  }
  bool boolean(bool value) override {
    tree_.scalar(places_.at(taken_ - (value ? 4 : 5)), value ? "true" : "false", false);
    return true;
  }
  bool number_integer(number_integer_t) override { return number(); }
  bool number_unsigned(number_unsigned_t) override { return number(); }
  bool number_float(number_float_t, const string_t&) override { return number(); }
  bool string(string_t& value) override {
    tree_.scalar(places_.at(opening_quote(text_, taken_)), std::move(value), true);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(YamlNode::Kind::map); }
  bool key(string_t& value) override { return string(value); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(YamlNode::Kind::sequence); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception& e) override {
    const std::string_view message = e.what();
    // "[json.exception.…] parse error at line 1, column 5: syntax error while parsing value - invalid
    // literal; …"
    const std::size_t dash = message.find(" - "), bracket = message.find("] ");
    std::string why(message.substr(dash != std::string_view::npos      ? dash + 3
                                   : bracket != std::string_view::npos ? bracket + 2
                                                                       : 0));
    why.resize(std::min(why.find("; last read"), why.size()));
    const auto says = [&](std::string_view words) { return why.find(words) != std::string::npos; };
    Place at;
    if (says("missing closing quote"))
      at = places_.at(opening_quote(text_, text_.size() + 1));
    else if (says("surrogate") || says("backslash") || says("'\\u'"))
      at = places_.at(text_.rfind('\\', taken_));
    else if (taken_ >= text_.size() && tree_.innermost().line)
      at = tree_.innermost();
    else
      at = places_.at(taken_ ? taken_ - 1 : 0);
    error = fault_at(source_, at, text_at(source_, at), "not valid JSON: " + why,
                     "look at the quotes, commas and brackets at and before this place");
    return false;
  }

 private:
  bool open(YamlNode::Kind kind) {
    tree_.open(places_.at(taken_ - 1), kind);
    return true;
  }
  bool close() {
    tree_.close();
    return true;
  }
  bool number() {
    static constexpr std::string_view parts = "0123456789+-.eE";
    std::size_t end = taken_;
    while (end && parts.find(text_[end - 1]) == std::string_view::npos) --end;
    std::size_t start = end;
    while (start && parts.find(text_[start - 1]) != std::string_view::npos) --start;
    tree_.scalar(places_.at(start), std::string(text_.substr(start, end - start)), false);
    return true;
  }
  const Source& source_;
  std::string_view text_;
  YamlTree& tree_;
  const std::size_t& taken_;
  PlaceCounter places_;
};

}  // namespace

std::optional<Error> read_json_events(const Source& source, std::string_view text, YamlTree& tree) {
  std::size_t taken = 0;
  JsonEvents events(source, text, tree, taken);
  const CountingIterator begin(text.data(), &taken), end(text.data() + text.size(), &taken);
  Json::sax_parse(begin, end, &events);
  return events.error;
}

}  // namespace arcwise
