#include "format/nodetool_view.hpp"

#include "format/columns.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

// "192.0.2.1:7000" -> "192.0.2.1", "[::1]:7000" -> "::1"; an address without a port is returned as it is.
std::string_view without_port(std::string_view address) {
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const std::size_t colon = address.find(':');
  return colon == address.rfind(':') ? address.substr(0, colon) : address;
}

}  // namespace

std::optional<std::size_t> NodetoolView::find(std::string_view address) const {
  std::optional<std::size_t> by_host;
  bool ambiguous = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].address == address) return i;
    const bool one_bare =
        (without_port(address) == address) != (without_port(nodes[i].address) == nodes[i].address);
    if (!one_bare || without_port(nodes[i].address) != without_port(address)) continue;
    ambiguous |= by_host.has_value();
    by_host = i;
  }
  return ambiguous ? std::nullopt : by_host;
}

Result<Token> read_murmur3_token(const TextLine& line, std::string_view text) {
  if (const auto token = from_text(TokenSpace::signed_64(), text)) return *token;
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (number)
    return line.fault(text, "a token outside -9223372036854775808 … 9223372036854775807",
                      "only clusters of Murmur3Partitioner are read; RandomPartitioner's tokens are longer");
  return line.fault(text, "expected a token, a whole number",
                    "only clusters of Murmur3Partitioner are read; is the line cut short?");
}

}  // namespace arcwise
