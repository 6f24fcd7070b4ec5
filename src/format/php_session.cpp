#include "format/php_session.hpp"

#include <algorithm>
#include <array>

#include "format/columns.hpp"
#include "format/libmemcached_client.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

using Fault = std::optional<Error>;
using Distribution = LibmemcachedClient::Distribution;

constexpr std::string_view form = "write e.g. session.save_path = \"10.0.0.1:11211:2,10.0.0.2:11211:1\"";

struct Setting {
  const TextLine* line = nullptr;
  std::string_view name, value;  ///< within the line; the value without quotes
};

// `name = "value" ; comment`; nothing for blank lines, comments and [sections].
std::optional<Setting> setting_of(const TextLine& line) {
  const std::string_view text = trim(line.text);
  const std::size_t equals = text.find('=');
  if (text.empty() || std::string_view(";#[").find(text.front()) != std::string_view::npos ||
      equals == std::string_view::npos)
    return std::nullopt;
  std::string_view value = trim(text.substr(equals + 1));
  const char quote = value.empty() ? ' ' : value.front();
  if (quote == '"' || quote == '\'') {
    const std::size_t end = value.find(quote, 1);
    value = end == std::string_view::npos ? value : value.substr(1, end - 1);
  } else {
    value = trim(value.substr(0, value.find(';')));
  }
  return Setting{&line, trim(text.substr(0, equals)), value};
}

Fault read_server(const TextLine& line, std::string_view text, LibmemcachedClient& client) {
  LibmemcachedClient::Server out;
  out.at = line.mark(text);
  const std::size_t colon = text.starts_with('/') ? std::string_view::npos : text.find(':');
  out.host = std::string(text.substr(0, colon));
  if (out.host.empty() || out.host.find_first_of(" \t=\"'") != std::string::npos)
    return line.fault(text, "expected a server, host:port:weight", std::string(form));
  if (colon == std::string_view::npos) {
    client.add(std::move(out));
    return std::nullopt;
  }
  const std::string_view numbers = text.substr(colon + 1);
  const std::size_t second = numbers.find(':');
  const std::string_view port = numbers.substr(0, second);
  const auto port_number = parse_count(port, 65535);
  if (!port_number)
    return line.fault(port.empty() ? text : port, "expected a port, 0 to 65535", std::string(form));
  out.port = static_cast<std::uint32_t>(*port_number);
  if (second != std::string_view::npos) {
    const std::string_view weight = numbers.substr(second + 1);
    const auto number = parse_count(weight, ~0U);
    if (!number)
      return line.fault(weight.empty() ? text : weight, "expected a weight, a whole number",
                        std::string(form));
    out.weight = static_cast<std::uint32_t>(*number);
  }
  client.add(std::move(out));
  return std::nullopt;
}

Fault read_flag(const Setting& setting, bool& out) {
  static constexpr std::array<std::string_view, 4> on{"1", "on", "true", "yes"};
  static constexpr std::array<std::string_view, 6> off{"", "0", "off", "false", "no", "none"};
  std::string word(setting.value);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  out = std::find(on.begin(), on.end(), word) != on.end();
  if (out || std::find(off.begin(), off.end(), word) != off.end()) return std::nullopt;
  return setting.line->fault(setting.value, "expected On or Off", std::string(form));
}

}  // namespace

bool is_php_session_line(std::string_view line) {
  return line.starts_with("session.save_path") || line.starts_with("memcached.sess_");
}

Result<Cluster> import_php_session(const Inputs& inputs) {
  const auto lines = text_lines(inputs.sources.front());
  if (!lines) return lines.error();
  LibmemcachedClient client;
  bool consistent = true, weighted = false;
  std::optional<Setting> path;
  for (const TextLine& line : *lines) {
    const auto setting = setting_of(line);
    if (!setting) continue;
    if (setting->name == "session.save_handler" && setting->value != "memcached")
      return line.fault(setting->value, "sessions of another handler than memcached",
                        "bring a file with session.save_handler = memcached");
    if (setting->name == "session.save_path") path = setting;
    if (setting->name == "memcached.sess_consistent_hash")
      if (auto fault = read_flag(*setting, consistent)) return *fault;
    if (setting->name == "memcached.sess_consistent_hash_type") {
      weighted = setting->value == "ketama_weighted";
      if (!weighted && setting->value != "ketama")
        return line.fault(setting->value, "expected ketama or ketama_weighted", std::string(form));
    }
    if (setting->name == "memcached.sess_number_of_replicas" && setting->value != "0")
      client.note(copies_note(std::string(setting->name)));
    bool ejects = false;
    if (setting->name == "memcached.sess_remove_failed_servers" && !read_flag(*setting, ejects) && ejects)
      client.note(eject_note(std::string(setting->name)));
  }
  if (!path) return no_rows(*lines, "no session.save_path in the file", std::string(form));
  for (std::string_view rest = path->value; !rest.empty();) {
    const std::string_view server = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), server.size() + 1));
    if (auto fault = read_server(*path->line, server, client)) return *fault;
  }
  if (weighted && consistent)
    client.set_ketama_weighted(true);
  else
    client.set_distribution(consistent ? Distribution::ketama : Distribution::modula);
  return client.cluster(inputs, "php-session");
}

}  // namespace arcwise
