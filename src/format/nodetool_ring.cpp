// `nodetool ring`, Cassandra and ScyllaDB. A row is read from its right end:
//
//     192.0.2.11  rack one    Up     Normal  104.37 KiB      55.56%              -8472904455104925488
//
// Token, Owns and Load are single words (Load has a unit behind it, or is `?`), State and Status come from
// short lists, the address is the first word, and what is left between is the rack. So it matters neither
// that a rack's name contains blanks nor that a long one runs into the Status column
// ("us-east-1a-rack-12Up"), nor how wide the columns are.
#include <map>

#include "format/columns.hpp"
#include "format/nodetool_view.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

using Live = SeenNode::Live;
using State = SeenNode::State;

constexpr std::string_view row_form =
    "a row is: address, rack, Up or Down, state, load, ownership, token; is the file cut short?";

struct RingRow {
  std::string_view address, rack;
  Live live = Live::unknown;
  State state = State::normal;
  std::optional<double> load_bytes, owns;
  Marked<Token> token;
};

bool is_header(std::string_view text) {
  static const std::vector<std::string_view> expected{"Address", "Rack", "Status", "State",
                                                      "Load",    "Owns", "Token"};
  return words(text) == expected;
}

bool is_note(std::string_view text) {
  return text.starts_with("Note:") || text.starts_with("Warning:") ||
         text.starts_with("To view status related info");
}

std::optional<Error> read_load(const TextLine& line, std::string_view& rest, RingRow& row) {
  const std::string_view last = take_last_word(rest);
  if (last == "?") return std::nullopt;
  if (!is_load_unit(last))
    return line.fault(last, "expected a load such as `104.37 KiB`, or `?`", std::string(row_form));
  const std::string_view number = take_last_word(rest);
  row.load_bytes = parse_load(number, last);
  if (!row.load_bytes) return line.fault(number, "a load that is not a number", std::string(row_form));
  return std::nullopt;
}

std::optional<Error> read_state(const TextLine& line, std::string_view& rest, RingRow& row) {
  static const std::map<std::string_view, State> states{{"Normal", State::normal},
                                                        {"Leaving", State::leaving},
                                                        {"Joining", State::joining},
                                                        {"Moving", State::moving}};
  const std::string_view word = take_last_word(rest);
  const auto at = states.find(word);
  if (at == states.end())
    return line.fault(word, "expected a state: Normal, Leaving, Joining or Moving", std::string(row_form));
  row.state = at->second;
  return std::nullopt;
}

std::optional<Error> read_status(const TextLine& line, std::string_view& rest, RingRow& row) {
  static constexpr std::pair<std::string_view, Live> all[]{
      {"Up", Live::up}, {"Down", Live::down}, {"?", Live::unknown}};
  const std::string_view word = take_last_word(rest);
  for (const auto& [name, live] : all) {
    if (!word.ends_with(name)) continue;
    row.live = live;
    // What stands before the status in the same word is the end of a rack name that fills its column.
    rest = line.text.substr(
        0, static_cast<std::size_t>(word.data() - line.text.data()) + word.size() - name.size());
    return std::nullopt;
  }
  return line.fault(word, "expected a status: Up, Down or ?", std::string(row_form));
}

Result<RingRow> read_row(const TextLine& line) {
  RingRow row;
  std::string_view rest = line.text;
  const std::string_view token = take_last_word(rest);
  const auto value = read_murmur3_token(line, token);
  if (!value) return value.error();
  row.token = {*value, line.mark(token)};
  const std::string_view owns = take_last_word(rest);
  row.owns = parse_percent(owns);
  if (!row.owns && owns != "?")
    return line.fault(owns, "expected an ownership such as `33.33%`, at most 100%, or `?`", std::string(row_form));
  if (auto error = read_load(line, rest, row)) return *error;
  if (auto error = read_state(line, rest, row)) return *error;
  if (auto error = read_status(line, rest, row)) return *error;
  row.address = take_word(rest);
  row.rack = trim(rest);
  if (row.address.empty())
    return line.fault(trim(line.text), "the row has no address", std::string(row_form));
  return row;
}

class RingReader {
 public:
  explicit RingReader(const Source& source) {
    view_.file = source.name;
    view_.format = "nodetool-ring";
    view_.lists_tokens = true;
  }

  std::optional<Error> take(const TextLine& line) {
    const std::string_view text = trim(line.text);
    if (text.starts_with("Datacenter:")) return start_zone(line, trim(text.substr(11)));
    if (is_note(text)) return std::nullopt;
    if (is_header(text)) {
      in_table_ = first_line_ = true;
      return std::nullopt;
    }
    if (text.empty() || text.find_first_not_of('=') == std::string_view::npos) {
      first_line_ = false;
      return std::nullopt;
    }
    if (!in_table_)
      return line.fault(
          text, "expected `Datacenter: NAME` and the header `Address Rack Status State Load Owns Token`",
          "save the whole output of `nodetool ring`");
    if (first_line_ && words(text).size() == 1) return announce(line, text);
    first_line_ = false;
    return add(line);
  }

  std::optional<Error> finish_zone() {
    if (announced_ && last_ && announced_->value != last_->value)
      return Error{ErrorKind::input, last_->at, to_text(TokenSpace::signed_64(), last_->value),
                   "the list ends here, but the line under the header announces " +
                       to_text(TokenSpace::signed_64(), announced_->value) + " as the last token",
                   "the file is cut short: save the whole output of `nodetool ring`"};
    if (announced_ && !last_)
      return Error{ErrorKind::input, announced_->at, to_text(TokenSpace::signed_64(), announced_->value),
                   "a data center without a row",
                   "the file is cut short: save the whole output of `nodetool ring`"};
    announced_.reset();
    last_.reset();
    return std::nullopt;
  }

  NodetoolView view() && { return std::move(view_); }

 private:
  std::optional<Error> start_zone(const TextLine& line, std::string_view name) {
    if (auto error = finish_zone()) return error;
    if (name.empty())
      return line.fault(line.text, "a data center without a name",
                        "save the whole output of `nodetool ring`");
    zone_ = std::string(name);
    in_table_ = false;
    return std::nullopt;
  }

  // The line under the header holds the data center's last token and nothing else.
  std::optional<Error> announce(const TextLine& line, std::string_view text) {
    first_line_ = false;
    const auto token = read_murmur3_token(line, text);
    if (!token) return token.error();
    announced_ = Marked<Token>{*token, line.mark(text)};
    return std::nullopt;
  }

  std::optional<Error> add(const TextLine& line) {
    const auto row = read_row(line);
    if (!row) return row.error();
    const auto [holder, fresh] =
        holders_.emplace(row->token.value, std::pair{std::string(row->address), line.number});
    if (!fresh)
      return Error{
          ErrorKind::input, row->token.at, to_text(TokenSpace::signed_64(), row->token.value),
          "this token of " + std::string(row->address) + " is listed on line " +
              std::to_string(holder->second.second) + " for " + holder->second.first + " already",
          "a token has one owner: save one output of `nodetool ring`, and look for nodes that were cloned"};
    last_ = row->token;
    const auto [at, new_node] = index_.emplace(std::string(row->address), view_.nodes.size());
    if (new_node) {
      view_.nodes.push_back({line.mark(row->address),
                             std::string(row->address),
                             zone_,
                             std::string(row->rack),
                             row->live,
                             row->state,
                             row->load_bytes,
                             row->owns,
                             std::nullopt,
                             {}});
    } else if (auto error = check_same(line, *row, view_.nodes[at->second])) {
      return error;
    }
    view_.nodes[at->second].tokens.push_back(row->token);
    return std::nullopt;
  }

  std::optional<Error> check_same(const TextLine& line, const RingRow& row, const SeenNode& node) const {
    const bool same =
        node.zone == zone_ && node.rack == row.rack && node.live == row.live && node.state == row.state;
    if (same) return std::nullopt;
    return line.fault(line.text.substr(static_cast<std::size_t>(row.address.data() - line.text.data())),
                      "the rows of " + node.address +
                          " differ in data center, rack, status or state (see line " +
                          std::to_string(node.at.line) + ")",
                      "save one output of `nodetool ring`");
  }

  NodetoolView view_;
  std::string zone_;
  bool in_table_ = false;
  bool first_line_ = false;  ///< the next line may be the announcement
  std::optional<Marked<Token>> announced_, last_;
  std::map<Token, std::pair<std::string, std::uint32_t>> holders_;  ///< address and line
  std::map<std::string, std::size_t> index_;
};

}  // namespace

Result<NodetoolView> read_nodetool_ring(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  RingReader reader(source);
  for (const TextLine& line : *lines)
    if (auto error = reader.take(line)) return *error;
  if (auto error = reader.finish_zone()) return *error;
  NodetoolView view = std::move(reader).view();
  if (view.nodes.empty())
    return no_rows(*lines, "no row of `nodetool ring` in this file",
                   "save the whole output of `nodetool ring`");
  return view;
}

}  // namespace arcwise
