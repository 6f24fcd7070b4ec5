// `balance`: which bytes of a request are hashed, and so what a key of the map is.
#include <algorithm>
#include <array>

#include "format/columns.hpp"
#include "format/haproxy.hpp"

namespace arcwise {
namespace {

using Fault = std::optional<Error>;

template <std::size_t N>
bool one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view before_bracket(std::string_view text) {
  return text.substr(0, text.find('('));
}

// The pieces between commas outside of brackets: "hdr(a,b),lower" is hdr(a,b) and lower.
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t start = 0, depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      out.push_back(text.substr(start, i - start));
      start = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')' && depth > 0) {
      --depth;
    }
  }
  return out;
}

// HAProxy hashes the bytes of a text, 4 or 16 bytes of an address, and its own form of a number; which of
// these an expression gives is known here for the usual ones.
Fault read_expression(const Source& source, const ConfigWord& word, HaproxyBalance& out) {
  static constexpr std::array<std::string_view, 6> addresses{"src",    "dst",    "fc_src",
                                                             "fc_dst", "bc_src", "bc_dst"};
  static constexpr std::array<std::string_view, 30> texts{"req.hdr",
                                                          "hdr",
                                                          "req.fhdr",
                                                          "fhdr",
                                                          "req.cook",
                                                          "cook",
                                                          "path",
                                                          "pathq",
                                                          "url",
                                                          "url_param",
                                                          "urlp",
                                                          "base",
                                                          "query",
                                                          "method",
                                                          "req.body",
                                                          "req.body_param",
                                                          "capture.req.hdr",
                                                          "capture.req.uri",
                                                          "str",
                                                          "var",
                                                          "ssl_fc_sni",
                                                          "req.ssl_sni",
                                                          "req_ssl_sni",
                                                          "req.payload",
                                                          "payload",
                                                          "req.rdp_cookie",
                                                          "rdp_cookie",
                                                          "txn.path",
                                                          "capture.req.method",
                                                          "env"};
  static constexpr std::array<std::string_view, 20> keep_text{
      "lower", "upper",  "field",  "word", "regsub", "bytes",  "url_dec",    "url_enc", "ltrim", "rtrim",
      "hex",   "base64", "b64dec", "sha1", "sha2",   "digest", "json_query", "concat",  "map",   "map_str"};
  const auto pieces = pieces_of(word.text);
  const std::string_view fetch = before_bracket(pieces.front());
  const bool address = one_of(addresses, fetch);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const std::string_view converter = before_bracket(pieces[i]);
    if (address ? converter != "ipmask" : !one_of(keep_text, converter))
      return fault_at(source, word,
                      "what the converter `" + std::string(converter) + "` gives is not known here",
                      "only expressions that give a text or a client's address are read");
  }
  if (!address && !one_of(texts, fetch))
    return fault_at(source, word, "whether this is a text, an address or a number is not known here",
                    "only expressions that give a text or a client's address are read");
  if (address) out.settings["balance"] = "hash-src";
  out.what_keys_are = (address ? "an address: " : "the value of ") + word.text;
  return std::nullopt;
}

Fault read_uri(const Source& source, const HaproxyLine& line, HaproxyBalance& out) {
  bool whole = false;
  out.needs_http = true;
  out.settings["balance"] = "uri";
  out.what_keys_are = "a request's URI";
  for (std::size_t i = 2; i < line.size(); ++i) {
    const std::string& word = line[i].text;
    if (word == "whole") {
      whole = true;
    } else if (word == "path-only") {
      out.what_keys_are = "a request's path, without scheme and host";
    } else if ((word == "len" || word == "depth") && i + 1 < line.size()) {
      const auto number = parse_count(line[i + 1].text, 1'000'000);
      if (!number)
        return fault_at(source, line[i + 1], "not a whole number up to 1000000", "write for example len 100");
      if (*number) out.settings["uri_" + word] = line[i + 1].text;
      ++i;
    } else {
      return fault_at(source, line[i], "no such parameter of `balance uri`",
                      "HAProxy knows: len N, depth N, whole, path-only");
    }
  }
  if (!whole) return std::nullopt;
  if (out.settings.size() > 1)
    return fault_at(source, line[1], "`whole` together with `len` or `depth`",
                    "such URIs are not placed here: use one of them");
  out.settings.clear();  // the value as it is, which is the default
  return std::nullopt;
}

Fault read_header(const Source& source, const HaproxyLine& line, HaproxyBalance& out) {
  const std::string& word = line[1].text;
  if (word.size() < 6 || !word.ends_with(')'))
    return fault_at(source, line[1], "a header without its name", "write balance hdr(NAME)");
  if (line.size() > 2)
    return fault_at(source, line[2],
                    line[2].text == "use_domain_only" ? "only the domain's middle part is hashed"
                                                      : "no such parameter of `balance hdr`",
                    "such keys are not placed here: hash the whole header");
  out.needs_http = true;
  out.what_keys_are = "the value of the header " + word.substr(4, word.size() - 5);
  return std::nullopt;
}

}  // namespace

std::optional<Error> read_haproxy_balance(const Source& source, const HaproxyLine& line,
                                          HaproxyBalance& out) {
  if (line.size() < 2)
    return fault_at(source, line.front(), "`balance` without an algorithm", "write balance uri, or the like");
  for (const ConfigWord& word : line)
    if (word.from_environment)
      return fault_at(source, word, "`balance` has a variable of the environment",
                      "write its value in a copy of the file");
  const std::string& algorithm = line[1].text;
  if (algorithm == "source") {
    out.settings["balance"] = "source";
    out.what_keys_are = "a client's address";
    return std::nullopt;
  }
  if (algorithm == "uri") return read_uri(source, line, out);
  if (algorithm.starts_with("hdr(")) return read_header(source, line, out);
  if (algorithm == "url_param" || algorithm == "hash") {
    if (line.size() < 3)
      return fault_at(source, line[1], "`balance " + algorithm + "` wants one more word",
                      algorithm == "hash" ? "write for example balance hash path" : "name the parameter");
    if (algorithm == "hash") return read_expression(source, line[2], out);
    out.needs_http = true;
    out.what_keys_are = "the value of the URL's parameter " + line[2].text;
    return std::nullopt;
  }
  if (algorithm.starts_with("rdp-cookie")) {
    out.needs_tcp = true;
    out.what_keys_are = "the value of the RDP cookie";
    return std::nullopt;
  }
  return fault_at(source, line[1], "this algorithm does not hash",
                  "only source, uri, url_param, hdr, rdp-cookie and hash place keys");
}

}  // namespace arcwise
