#include "format/libmemcached_options.hpp"

#include <algorithm>
#include <array>

#include "format/columns.hpp"
#include "format/libmemcached_client.hpp"
#include "format/recognise.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

using Distribution = LibmemcachedClient::Distribution;
using Fault = std::optional<Error>;

constexpr std::string_view form =
    "write e.g. --SERVER=10.0.0.1:11211/?2 --DISTRIBUTION=CONSISTENT --HASH=MD5";

constexpr std::array<std::string_view, 25> harmless{"BINARY-PROTOCOL",  "BUFFER-REQUESTS",
                                                    "CONNECT-TIMEOUT",  "IO-BYTES-WATERMARK",
                                                    "IO-KEY-PREFETCH",  "IO-MSG-WATERMARK",
                                                    "NOREPLY",          "NUMBER-OF-REPLICAS",
                                                    "POLL-TIMEOUT",     "POOL-MAX",
                                                    "POOL-MIN",         "RANDOMIZE-REPLICA-READ",
                                                    "RCV-TIMEOUT",      "REMOVE-FAILED-SERVERS",
                                                    "RETRY-TIMEOUT",    "SND-TIMEOUT",
                                                    "SOCKET-RECV-SIZE", "SOCKET-SEND-SIZE",
                                                    "SUPPORT-CAS",      "TCP-KEEPALIVE",
                                                    "TCP-NODELAY",      "USER-DATA",
                                                    "USE-UDP",          "VERIFY-KEY",
                                                    "FETCH-VERSION"};

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = upper(c);
  return out;
}

// The next option of a line: up to a blank outside quotes.
std::string_view take_option(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::size_t end = 0;
  for (bool quoted = false; end < rest.size() && (quoted || !is_blank(rest[end])); ++end)
    if (rest[end] == '"') quoted = !quoted;
  const std::string_view option = rest.substr(0, end);
  rest.remove_prefix(end);
  return option;
}

class Reader {
 public:
  Fault read(const TextLine& line, std::string_view option) {
    line_ = &line;
    const std::size_t equals = option.find('=');
    const std::string_view name = option.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : option.substr(equals + 1);
    const std::string word = upper(name);
    if (!word.starts_with("--"))
      return line.fault(option, "expected an option, which begins with --", std::string(form));
    if (equals != std::string_view::npos && value.empty())
      return line.fault(option, "an option that ends before its value", std::string(form));
    if (word == "--SERVER") return server(option, value);
    if (word == "--SOCKET") return socket(option, value);
    if (word == "--DISTRIBUTION") return distribution(option, value);
    if (word == "--HASH") return hash(option, value);
    if (word == "--NAMESPACE") return prefix(option, value);
    if (word == "--HASH-WITH-NAMESPACE")
      return flag(option, value, [&] { client.set_hash_with_prefix(true); });
    if (word == "--SORT-HOSTS") return flag(option, value, [&] { client.set_sort_hosts(true); });
    if (std::find(harmless.begin(), harmless.end(), std::string_view(word).substr(2)) == harmless.end())
      return line.fault(name, "libmemcached has no such option", std::string(form));
    if (!value.empty() && !parse_count(value, ~0U))
      return line.fault(value, "expected a whole number", std::string(form));
    if (word == "--NUMBER-OF-REPLICAS" && value != "0") client.note(copies_note(word.substr(2)));
    if (word == "--REMOVE-FAILED-SERVERS") client.note(eject_note(word.substr(2)));
    return std::nullopt;
  }

  LibmemcachedClient client;

 private:
  template <class Set>
  Fault flag(std::string_view option, std::string_view value, Set&& set) {
    if (!value.empty())
      return line_->fault(option, "this option takes no value", "drop what follows its name");
    set();
    return std::nullopt;
  }

  // "…/?WEIGHT" at the end.
  Fault take_weight(std::string_view& value, std::uint32_t& weight) const {
    const std::size_t at = value.rfind("/?");
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view text = value.substr(at + 2);
    const auto number = parse_count(text, ~0U);
    if (!number)
      return line_->fault(text.empty() ? value : text, "expected a weight, a whole number",
                          std::string(form));
    weight = static_cast<std::uint32_t>(*number);
    value = value.substr(0, at);
    return std::nullopt;
  }

  Fault server(std::string_view option, std::string_view value) {
    LibmemcachedClient::Server out;
    out.at = line_->mark(option);
    if (auto fault = take_weight(value, out.weight)) return fault;
    const std::size_t colon = value.find(':');
    const std::string_view host = value.substr(0, colon);
    if (host.empty() || host.find_first_of("/\"'[],?=") != std::string_view::npos)
      return line_->fault(option, "expected a host name or an IPv4 address", std::string(form));
    out.host = std::string(host);
    if (colon != std::string_view::npos) {
      const std::string_view port = value.substr(colon + 1);
      const auto number = parse_count(port, 65535);
      if (!number)
        return line_->fault(port.empty() ? option : port, "expected a port, 0 to 65535",
                            "libmemcached's configuration takes no IPv6 address; give a name");
      out.port = static_cast<std::uint32_t>(*number);
    }
    client.add(std::move(out));
    return std::nullopt;
  }

  std::optional<std::string_view> quoted(std::string_view value) const {
    if (value.size() < 3 || value.front() != '"' || value.back() != '"') return std::nullopt;
    value = value.substr(1, value.size() - 2);
    if (value.find('"') != std::string_view::npos) return std::nullopt;
    return value;
  }

  Fault socket(std::string_view option, std::string_view value) {
    LibmemcachedClient::Server out;
    out.at = line_->mark(option);
    if (auto fault = take_weight(value, out.weight)) return fault;
    const auto path = quoted(value);
    if (!path || !path->starts_with('/'))
      return line_->fault(option, "expected the path of a socket in quotes",
                          "write e.g. --SOCKET=\"/tmp/a.sock\"");
    out.host = std::string(*path);
    client.add(std::move(out));
    return std::nullopt;
  }

  Fault distribution(std::string_view option, std::string_view value) {
    const std::size_t comma = value.find(',');
    const std::string name = upper(value.substr(0, comma));
    if (comma != std::string_view::npos) {
      const std::string_view points = value.substr(comma + 1);
      if (!LibmemcachedClient::find_hash(points)) return unknown_hash(points.empty() ? option : points);
      client.note(
          {Finding::Severity::warning, "points-hash-ignored", "DISTRIBUTION",
           "the hash behind the comma is stored and never used: points and keys are hashed with --HASH",
           "say --HASH=" + upper(points) + " before the servers"});
    }
    if (name == "CONSISTENT")
      client.set_distribution(Distribution::consistent);
    else if (name == "MODULA")
      client.set_distribution(Distribution::modula);
    else if (name == "RANDOM")
      client.set_distribution(Distribution::random);
    else
      return line_->fault(value.empty() ? option : value, "expected CONSISTENT, MODULA or RANDOM",
                          std::string(form));
    return std::nullopt;
  }

  Error unknown_hash(std::string_view text) const {
    return line_->fault(text, "libmemcached has no such hash",
                        "it has MD5, CRC, FNV1_64, FNV1A_64, FNV1_32, FNV1A_32, HSIEH, MURMUR, JENKINS");
  }

  Fault hash(std::string_view option, std::string_view value) {
    const auto known = LibmemcachedClient::find_hash(value);
    if (!known) return unknown_hash(value.empty() ? option : value);
    client.set_hash(*known);
    return std::nullopt;
  }

  Fault prefix(std::string_view option, std::string_view value) {
    const auto text = quoted(value);
    if (!text) return line_->fault(option, "expected a text in quotes", "write e.g. --NAMESPACE=\"app1:\"");
    client.set_prefix(std::string(*text));
    return std::nullopt;
  }

  const TextLine* line_ = nullptr;
};

}  // namespace

bool is_libmemcached_options(std::string_view text) {
  return any_line(text, [](std::string_view line) {
    for (std::string_view option = take_option(line); option.starts_with("--"); option = take_option(line)) {
      const std::string word = upper(option.substr(0, 9));
      if (word == "--SERVER=" || word == "--SOCKET=") return true;
    }
    return false;
  });
}

Result<Cluster> import_libmemcached(const Inputs& inputs) {
  const auto lines = text_lines(inputs.sources.front());
  if (!lines) return lines.error();
  Reader reader;
  for (const TextLine& line : *lines) {
    if (trim(line.text).starts_with('#')) continue;
    std::string_view rest = line.text;
    for (std::string_view option = take_option(rest); !option.empty(); option = take_option(rest)) {
      if (upper(option) == "END") return reader.client.cluster(inputs, "libmemcached");
      if (auto fault = reader.read(line, option)) return *fault;
    }
  }
  return reader.client.cluster(inputs, "libmemcached");
}

}  // namespace arcwise
