#include "format/json_text.hpp"

namespace arcwise {
namespace {

constexpr auto replace = Json::error_handler_t::replace;

std::string_view kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::input:
      return "input";
    case ErrorKind::io:
      return "io";
    case ErrorKind::refused:
      return "refused";
  }
  return "input";
}

// Bytes of the well-formed UTF-8 sequence at the front (RFC 3629: no overlong forms, no surrogates), 0 if
// there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
  return length;
}

}  // namespace

Json answer(std::string_view what) {
  Json json;
  json["schema"] = "arcwise/" + std::string(what) + "/v1";
  return json;
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, replace) + '\n';
}

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (!length) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_json_string(std::string& out, std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const char c = text[0];
    if (!length) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)) {
      out += "\\u00";
      out += digits[c >> 4];
      out += digits[c & 15];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length ? length : 1);
  }
  out += '"';
}

Json to_json(const Finding& finding) {
  static constexpr std::string_view names[] = {"info", "warning", "error"};
  return {{"severity", names[static_cast<std::size_t>(finding.severity)]},
          {"rule", finding.rule},
          {"subject", finding.subject},
          {"message", finding.message},
          {"advice", finding.advice}};
}

std::string json_error(const Error& error) {
  Json json = answer("error");
  json["error"] = {{"file", error.where.file},     {"line", error.where.line}, {"column", error.where.column},
                   {"what", error.what},           {"why", error.why},         {"advice", error.advice},
                   {"kind", kind_name(error.kind)}};
  return json.dump(-1, ' ', false, replace);
}

}  // namespace arcwise
