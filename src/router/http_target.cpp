// What a request's first lines say, apart from the library that reads them.
#include <algorithm>
#include <cctype>

#include "router/http_server.hpp"

namespace arcwise::router {
namespace {

int digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

// No name is all digits, whatever it is an address of.
bool is_address(std::string_view host) noexcept {
  if (host.starts_with('['))
    return host.find_first_not_of("0123456789abcdefABCDEF:.", 1) == host.size() - 1 && host.ends_with(']');
  return !host.empty() && host.find_first_not_of("0123456789.") == host.npos;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string_view HttpRequest::param(std::string_view name, std::string_view otherwise) const noexcept {
  for (const auto& [key, value] : query)
    if (key == name) return value;
  return otherwise;
}

void split_target(std::string_view target, HttpRequest& out) {
  const std::size_t mark = target.find('?');
  out.path = decoded(target.substr(0, mark));
  out.query.clear();
  std::string_view rest = mark == target.npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    const std::size_t equals = pair.find('=');
    if (!pair.empty())
      out.query.emplace_back(decoded(pair.substr(0, equals)),
                             equals == pair.npos ? std::string() : decoded(pair.substr(equals + 1)));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
}

bool own_host(std::string_view host, const std::vector<std::string>& names) {
  const std::size_t colon = host.rfind(':');
  if (colon != host.npos && host.find_first_not_of("0123456789", colon + 1) == host.npos)
    host = host.substr(0, colon);
  if (is_address(host)) return true;
  const std::string name = lower(host);
  if (name == "localhost") return true;
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& own) { return !own.empty() && name == lower(own); });
}

}  // namespace arcwise::router
