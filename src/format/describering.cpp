// `nodetool describering KEYSPACE`, Cassandra and ScyllaDB: one line a range, in any order.
//
//     TokenRange(start_token:A, end_token:B, endpoints:[h, h], rpc_endpoints:[h, h],
//                endpoint_details:[EndpointDetails(host:h, datacenter:d, rack:r), ...])        on one line
//
// with or without blanks behind the commas. Names are found by the text around them, not by the next comma: a
// rack may be called `rack 1, row (b)`.
#include <algorithm>
#include <map>

#include "format/columns.hpp"
#include "format/nodetool_view.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

constexpr std::string_view whole = "save the whole output of `nodetool describering KEYSPACE`";

// The text of one line, consumed from the left.
class Cursor {
 public:
  Cursor(const TextLine& line, std::string_view rest) : line_(line), rest_(rest) {}

  bool at(std::string_view literal) const { return rest_.starts_with(literal); }
  std::string_view rest() const { return rest_; }

  std::optional<Error> skip(std::string_view literal) {
    if (!at(literal)) {
      std::string why = "expected `" + std::string(literal) + "`",
                  advice = std::string(whole) + "; is the line cut short?";
      return rest_.empty() ? line_.fault_at_end(std::move(why), std::move(advice))
                           : line_.fault(rest_, std::move(why), std::move(advice));
    }
    rest_.remove_prefix(literal.size());
    return std::nullopt;
  }

  std::optional<Error> comma() {
    if (auto error = skip(",")) return error;
    rest_ = trim(rest_);
    return std::nullopt;
  }

  /// Everything before the nearest of these texts.
  std::string_view until(std::initializer_list<std::string_view> stops) {
    std::size_t end = rest_.size();
    for (const std::string_view stop : stops) end = std::min(end, rest_.find(stop));
    const std::string_view piece = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return piece;
  }

 private:
  const TextLine& line_;
  std::string_view rest_;
};

struct Detail {
  std::string_view host, zone, rack;
};

std::optional<Error> read_token(const TextLine& line, Cursor& cursor, std::string_view label, Token& out) {
  if (auto error = cursor.skip(label)) return error;
  const auto token = read_murmur3_token(line, cursor.until({","}));
  if (!token) return token.error();
  out = *token;
  return cursor.comma();
}

// A host may be "[::1]:7000", so the list ends at a bracket with a comma behind it.
std::optional<Error> read_hosts(Cursor& cursor, std::string_view label, std::vector<std::string_view>& out) {
  if (auto error = cursor.skip(label)) return error;
  while (!cursor.at("],")) {
    out.push_back(trim(cursor.until({",", "],"})));
    if (cursor.at("],")) break;
    if (auto error = cursor.comma()) return error;
  }
  if (auto error = cursor.skip("]")) return error;
  return cursor.comma();
}

std::optional<Error> read_detail(Cursor& cursor, Detail& detail) {
  if (auto error = cursor.skip("EndpointDetails(host:")) return error;
  detail.host = cursor.until({", datacenter:", ",datacenter:"});
  if (auto error = cursor.comma()) return error;
  if (auto error = cursor.skip("datacenter:")) return error;
  detail.zone = cursor.until({", rack:", ",rack:"});
  if (auto error = cursor.comma()) return error;
  if (auto error = cursor.skip("rack:")) return error;
  detail.rack = cursor.until({"), EndpointDetails(", "),EndpointDetails(", ")])"});
  return cursor.skip(")");
}

std::optional<Error> read_details(Cursor& cursor, std::vector<Detail>& out) {
  if (auto error = cursor.skip("endpoint_details:[")) return error;
  while (!cursor.at("])")) {
    out.emplace_back();
    if (auto error = read_detail(cursor, out.back())) return error;
    if (cursor.at("])")) break;
    if (auto error = cursor.comma()) return error;
  }
  return cursor.skip("])");
}

std::string range_text(const SeenRange& range) {
  const TokenSpace space = TokenSpace::signed_64();
  return "(" + to_text(space, range.after) + ", " + to_text(space, range.upto) + "]";
}

class DescriberingReader {
 public:
  explicit DescriberingReader(const Source& source) {
    view_.file = source.name;
    view_.format = "nodetool-describering";
    view_.lists_tokens = true;
  }

  std::optional<Error> take(const TextLine& line) {
    const std::string_view text = trim(line.text);
    if (text.empty() || text == "TokenRange:" || text.starts_with("Schema Version:") ||
        text.starts_with("Note:"))
      return std::nullopt;
    Cursor cursor(line, text);
    if (auto error = cursor.skip("TokenRange(")) return error;
    SeenRange range;
    range.at = line.mark(text);
    std::vector<std::string_view> endpoints, rpc;
    std::vector<Detail> details;
    if (auto error = read_token(line, cursor, "start_token:", range.after)) return error;
    if (auto error = read_token(line, cursor, "end_token:", range.upto)) return error;
    if (auto error = read_hosts(cursor, "endpoints:[", endpoints)) return error;
    if (auto error = read_hosts(cursor, "rpc_endpoints:[", rpc)) return error;
    if (auto error = read_details(cursor, details)) return error;
    if (!trim(cursor.rest()).empty())
      return line.fault(cursor.rest(), "text behind the end of the range",
                        "one range stands on one line; is a line end missing?");
    for (const Detail& detail : details)
      if (auto error = place(line, detail)) return error;
    add_endpoints(line, endpoints, range);
    view_.ranges.push_back(std::move(range));
    return std::nullopt;
  }

  NodetoolView view() && {
    for (const SeenNode& node : view_.nodes)
      if (!placed_.contains(node.address))
        view_.findings.push_back(
            {Finding::Severity::warning, "place-unknown", node.address,
             "endpoint_details do not say in which data center and rack " + node.address + " stands",
             "rack diversity of its ranges cannot be judged"});
    return std::move(view_);
  }

 private:
  std::size_t node_at(const TextLine& line, std::string_view address) {
    const auto [at, fresh] = index_.emplace(std::string(address), view_.nodes.size());
    if (fresh) {
      SeenNode node;
      node.at = line.mark(address);
      node.address = std::string(address);
      view_.nodes.push_back(std::move(node));
    }
    return at->second;
  }

  std::optional<Error> place(const TextLine& line, const Detail& detail) {
    if (detail.host.empty())
      return line.fault(line.text.substr(static_cast<std::size_t>(detail.host.data() - line.text.data())),
                        "an endpoint without a host", std::string(whole));
    SeenNode& node = view_.nodes[node_at(line, detail.host)];
    if (placed_.emplace(node.address, line.number).second) {
      node.zone = std::string(detail.zone);
      node.rack = std::string(detail.rack);
      return std::nullopt;
    }
    if (node.zone == detail.zone && node.rack == detail.rack) return std::nullopt;
    return line.fault(detail.host,
                      "this node stands in " + std::string(detail.zone) + "/" + std::string(detail.rack) +
                          " here, and in " + node.zone + "/" + node.rack + " on line " +
                          std::to_string(placed_.at(node.address)),
                      "save one output of `nodetool describering`");
  }

  void add_endpoints(const TextLine& line, const std::vector<std::string_view>& endpoints, SeenRange& range) {
    for (const std::string_view address : endpoints) {
      const auto node = static_cast<NodeIndex>(node_at(line, address));
      if (std::find(range.endpoints.begin(), range.endpoints.end(), node) == range.endpoints.end())
        range.endpoints.push_back(node);
      else
        view_.findings.push_back(
            {Finding::Severity::error, "duplicate-endpoint", range_text(range),
             "the range names " + std::string(address) + " twice, so one of its copies does not exist",
             "compare with `nodetool getendpoints`; repair the range"});
    }
  }

  NodetoolView view_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, std::uint32_t> placed_;  ///< line of the first details
};

}  // namespace

Result<NodetoolView> read_describering(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  DescriberingReader reader(source);
  for (const TextLine& line : *lines)
    if (auto error = reader.take(line)) return *error;
  NodetoolView view = std::move(reader).view();
  if (view.ranges.empty())
    return no_rows(*lines, "no range of `nodetool describering` in this file", std::string(whole));
  return view;
}

}  // namespace arcwise
