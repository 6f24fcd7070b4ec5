// The mistakes that make a nutcracker.yml invalid YAML, or valid YAML that means something else.
#include <algorithm>
#include <array>

#include "format/columns.hpp"
#include "format/nutcracker.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

constexpr std::array<std::string_view, 18> keys{"listen",
                                                "hash",
                                                "hash_tag",
                                                "distribution",
                                                "timeout",
                                                "backlog",
                                                "preconnect",
                                                "redis",
                                                "redis_auth",
                                                "redis_db",
                                                "tcpkeepalive",
                                                "reuseport",
                                                "client_connections",
                                                "server_connections",
                                                "auto_eject_hosts",
                                                "server_retry_timeout",
                                                "server_failure_limit",
                                                "servers"};

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

std::string_view key_of(std::string_view line) {
  const std::string_view text = trim(line);
  return text.substr(0, text.find(':'));
}

bool is_content(std::string_view line) {
  const std::string_view text = trim(line);
  return !text.empty() && !text.starts_with('#') && text != "---";
}

const TextLine* bracketed_server(const std::vector<TextLine>& lines) {
  for (const TextLine& line : lines)
    if (const std::string_view text = trim(line.text); text.starts_with("- [") || text.starts_with("-["))
      return &line;
  return nullptr;
}

// A server that stands to the left of its `servers:`.
const TextLine* outdented_server(const std::vector<TextLine>& lines) {
  std::size_t servers = std::string_view::npos;
  for (const TextLine& line : lines) {
    if (!is_content(line.text)) continue;
    if (key_of(line.text) == "servers")
      servers = indent_of(line.text);
    else if (trim(line.text).starts_with('-') && servers != std::string_view::npos &&
             indent_of(line.text) < servers)
      return &line;
  }
  return nullptr;
}

// The first line with content is a setting, so no pool's name stands above it.
const TextLine* setting_without_pool(const std::vector<TextLine>& lines) {
  for (const TextLine& line : lines) {
    if (!is_content(line.text)) continue;
    return is_nutcracker_key(key_of(line.text)) && trim(line.text).find(':') != std::string_view::npos
               ? &line
               : nullptr;
  }
  return nullptr;
}

}  // namespace

std::span<const std::string_view> nutcracker_keys() {
  return keys;
}
bool is_nutcracker_key(std::string_view name) {
  return std::find(keys.begin(), keys.end(), name) != keys.end();
}

std::optional<Error> diagnose_nutcracker(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  const TextLine* outdented = outdented_server(*lines);
  const std::string indent = "the list must be indented under `servers`";
  if (const TextLine* bare = setting_without_pool(*lines)) {
    std::string advice = "expected e.g. `cache:` above them";
    if (outdented) advice += "; line " + std::to_string(outdented->number) + ": " + indent;
    return bare->fault(trim(bare->text), "keys are not under a pool name", std::move(advice));
  }
  if (outdented) return outdented->fault(trim(outdented->text), indent, "move it to the right of `servers:`");
  if (const TextLine* server = bracketed_server(*lines)) {
    const std::string_view text = trim(trim(server->text).substr(1));
    return server->fault(text, "an IPv6 address needs quotes here, since YAML reads `[` as a list",
                         "write - \"" + std::string(text) + "\", or the address without brackets");
  }
  return std::nullopt;
}

}  // namespace arcwise
