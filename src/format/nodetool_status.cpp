// `nodetool status`, Cassandra and ScyllaDB. The header says which columns there are; cells are read from the
// left:
//
//     --  Address     Load        Tokens  Owns (effective)  Host ID                               Rack
//     UN  192.0.2.11  104.37 KiB  4       55.6%             5bc8fbbc-bde5-4099-8164-d8399f767c45  rack one
//
// Every cell is one word but Load, which has a unit or is `?`, and Rack, which is last and is all that is
// left. So one blank between columns (ScyllaDB) is as good as two.
#include <algorithm>
#include <array>
#include <map>

#include "format/columns.hpp"
#include "format/nodetool_view.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

using Live = SeenNode::Live;
using State = SeenNode::State;

enum class Column : std::uint8_t { address, load, tokens, owns, host_id, token, rack };

constexpr std::array<std::pair<std::string_view, Column>, 8> headings{{{"Address", Column::address},
                                                                       {"Load", Column::load},
                                                                       {"Tokens", Column::tokens},
                                                                       {"Owns (effective)", Column::owns},
                                                                       {"Owns", Column::owns},
                                                                       {"Host ID", Column::host_id},
                                                                       {"Token", Column::token},
                                                                       {"Rack", Column::rack}}};

constexpr std::string_view whole = "save the whole output of `nodetool status`";

Result<std::vector<Column>> read_header(const TextLine& line) {
  std::vector<Column> columns;
  std::string_view rest = trim(line.text);
  take_word(rest);  // --
  for (rest = trim(rest); !rest.empty(); rest = trim(rest)) {
    const auto at = std::find_if(headings.begin(), headings.end(),
                                 [&](const auto& heading) { return rest.starts_with(heading.first); });
    if (at == headings.end())
      return line.fault(rest, "a column that `nodetool status` does not have", std::string(whole));
    columns.push_back(at->second);
    rest.remove_prefix(at->first.size());
  }
  if (columns.size() < 3 || columns.front() != Column::address || columns.back() != Column::rack)
    return line.fault(trim(line.text), "the header must start with Address and end with Rack",
                      std::string(whole));
  return columns;
}

std::optional<Error> read_flags(const TextLine& line, std::string_view flags, SeenNode& node) {
  static const std::map<char, Live> lives{
      {'U', Live::up}, {'D', Live::down}, {'?', Live::unknown}, {'X', Live::excluded}};
  static const std::map<char, State> states{
      {'N', State::normal}, {'L', State::leaving}, {'J', State::joining}, {'M', State::moving}};
  if (flags.size() != 2 || !lives.contains(flags[0]) || !states.contains(flags[1]))
    return line.fault(flags, "expected two letters: U, D, X or ?, then N, L, J or M", std::string(whole));
  node.live = lives.at(flags[0]);
  node.state = states.at(flags[1]);
  return std::nullopt;
}

std::optional<Error> read_load_cell(const TextLine& line, std::string_view number, std::string_view& rest,
                                    SeenNode& node) {
  if (number == "?") return std::nullopt;
  const std::string_view unit = take_word(rest);
  node.load_bytes = parse_load(number, unit);
  if (!node.load_bytes)
    return line.fault(number, "expected a load such as `104.37 KiB`, or `?`", std::string(whole));
  return std::nullopt;
}

std::optional<Error> read_cell(const TextLine& line, Column column, std::string_view& rest, SeenNode& node) {
  if (column == Column::rack) {
    node.rack = std::string(trim(rest));
    return std::nullopt;
  }
  const std::string_view word = take_word(rest);
  if (word.empty())
    return line.fault_at_end("the row has fewer cells than the header has columns", std::string(whole));
  switch (column) {
    case Column::address:
      node.at = line.mark(word);
      node.address = std::string(word);
      break;
    case Column::load:
      return read_load_cell(line, word, rest, node);
    case Column::tokens:
      node.token_count = parse_count(word, max_ring_tokens);
      if (!node.token_count && word != "?")
        return line.fault(word, "expected a number of tokens", std::string(whole));
      break;
    case Column::owns:
      node.owns = parse_percent(word);
      if (!node.owns && word != "?")
        return line.fault(word, "expected an ownership such as `33.3%`, at most 100%, or `?`", std::string(whole));
      break;
    case Column::token: {
      const auto token = read_murmur3_token(line, word);
      if (!token) return token.error();
      node.tokens.push_back({*token, line.mark(word)});
      break;
    }
    case Column::host_id:
    case Column::rack:
      break;
  }
  return std::nullopt;
}

class StatusReader {
 public:
  explicit StatusReader(const Source& source) {
    view_.file = source.name;
    view_.format = "nodetool-status";
  }

  std::optional<Error> take(const TextLine& line) {
    const std::string_view text = trim(line.text);
    if (text.starts_with("Datacenter:")) {
      zone_ = std::string(trim(text.substr(11)));
      columns_.clear();
      if (zone_.empty()) return line.fault(text, "a data center without a name", std::string(whole));
      return std::nullopt;
    }
    if (text.empty() || text.find_first_not_of('=') == std::string_view::npos ||
        text.starts_with("Status=") || text.starts_with("|/ State=") || text.starts_with("Note:"))
      return std::nullopt;
    if (text.starts_with("--")) {
      auto columns = read_header(line);
      if (!columns) return columns.error();
      columns_ = std::move(*columns);
      view_.lists_tokens |= std::count(columns_.begin(), columns_.end(), Column::token) > 0;
      return std::nullopt;
    }
    if (columns_.empty())
      return line.fault(text, "expected `Datacenter: NAME` and a header that starts with `--  Address`",
                        std::string(whole));
    return add(line);
  }

  NodetoolView view() && { return std::move(view_); }

 private:
  std::optional<Error> add(const TextLine& line) {
    SeenNode node;
    node.zone = zone_;
    std::string_view rest = line.text;
    if (auto error = read_flags(line, take_word(rest), node)) return error;
    for (const Column column : columns_)
      if (auto error = read_cell(line, column, rest, node)) return error;
    const auto [at, fresh] = lines_.emplace(node.address, line.number);
    if (!fresh)
      return Error{ErrorKind::input, node.at, node.address,
                   "this node is listed on line " + std::to_string(at->second) + " already",
                   "save one output of `nodetool status`"};
    for (const Marked<Token>& token : node.tokens)
      if (const auto [holder, new_token] = holders_.emplace(token.value, node.address); !new_token)
        return Error{ErrorKind::input, token.at, to_text(TokenSpace::signed_64(), token.value),
                     "this token of " + node.address + " is listed for " + holder->second + " already",
                     "a token has one owner"};
    view_.nodes.push_back(std::move(node));
    return std::nullopt;
  }

  NodetoolView view_;
  std::string zone_;
  std::vector<Column> columns_;
  std::map<std::string, std::uint32_t> lines_;
  std::map<Token, std::string> holders_;
};

}  // namespace

Result<NodetoolView> read_nodetool_status(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  StatusReader reader(source);
  for (const TextLine& line : *lines)
    if (auto error = reader.take(line)) return *error;
  NodetoolView view = std::move(reader).view();
  if (view.nodes.empty())
    return no_rows(*lines, "no row of `nodetool status` in this file", std::string(whole));
  return view;
}

}  // namespace arcwise
