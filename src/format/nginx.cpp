#include "format/nginx.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "format/columns.hpp"
#include "format/nginx_text.hpp"
#include "format/recognise.hpp"
#include "place/ip_address.hpp"

namespace arcwise {
namespace {

using Severity = Finding::Severity;
using Fault = std::optional<Error>;

constexpr std::string_view whole_configuration =
    "bring the output of `nginx -T`, which prints every file of the configuration";

struct Server {
  std::string text, address, host;  ///< as written; where to connect; without the port
  std::uint32_t weight = 1;
  bool down = false, backup = false;
  Place at;
};

struct Upstream {
  const NginxDirective* directive = nullptr;
  const NginxDirective* hash = nullptr;
  std::vector<Server> servers;
};

struct Found {
  std::vector<const NginxDirective*> upstreams;
  std::vector<PoolName> names;
  const NginxDirective* include = nullptr;  ///< the first one that may bring more upstreams
};

Fault collect(const Source& source, const std::vector<NginxDirective>& directives, Found& out) {
  for (const NginxDirective& d : directives) {
    if (d.name() == "include" && !out.include) out.include = &d;
    if (d.name() == "upstream") {
      if (!d.has_block || d.words.size() != 2)
        return fault_at(source, d.words.front(), "an upstream is one name and a block",
                        "write upstream NAME { … }");
      out.upstreams.push_back(&d);
      out.names.push_back({d.words[1].text, d.words[1].at});
    } else if (d.name() == "http" || d.name() == "stream") {
      if (auto fault = collect(source, d.block, out)) return fault;
    }
  }
  return std::nullopt;
}

Fault read_address(const Source& source, const ConfigWord& word, Server& out) {
  const std::string_view text = word.text;
  const auto wrong = [&](std::string why) {
    return fault_at(source, word, std::move(why), "write host, host:port, [IPv6]:port or unix:/path");
  };
  out.text = word.text;
  if (text.starts_with("unix:")) {
    out.address = out.host = text.substr(5);
    if (out.address.empty()) return wrong("a unix socket without a path");
    return std::nullopt;
  }
  std::size_t colon = text.find(':');
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || !ip_address(text.substr(1, close - 1)))
      return wrong("brackets without an IPv6 address");
    if (close + 1 < text.size() && text[close + 1] != ':') return wrong("expected a port behind the bracket");
    colon = close + 1 < text.size() ? close + 1 : std::string_view::npos;
    out.host = text.substr(1, close - 1);
  } else {
    out.host = text.substr(0, colon);
  }
  if (out.host.empty()) return wrong("a server without a host");
  if (out.host.find('/') != std::string::npos) return wrong("a host with a slash in it");
  const std::string_view port = colon == std::string_view::npos ? "80" : text.substr(colon + 1);
  if (const auto number = parse_count(port, 65535); !number || *number == 0)
    return wrong("a port that is not a number from 1 to 65535");
  out.address = joined_address(out.host, port);
  return std::nullopt;
}

Fault read_parameter(const Source& source, const ConfigWord& word, bool behind_hash, Server& out) {
  static constexpr std::array<std::string_view, 5> of_no_matter{
      "max_fails=", "fail_timeout=", "max_conns=", "slow_start=", "route="};
  const std::string_view text = word.text;
  const auto starts = [&](std::string_view name) { return text.starts_with(name); };
  if (std::any_of(of_no_matter.begin(), of_no_matter.end(), starts) || text == "resolve") return std::nullopt;
  if (starts("weight=")) {
    const auto weight = parse_count(text.substr(7), 1'000'000'000);
    if (!weight || *weight == 0)
      return fault_at(source, word, "a weight that is not a whole number from 1 to 1000000000",
                      "weights are relative: 1 to 100 is usual");
    out.weight = static_cast<std::uint32_t>(*weight);
    return std::nullopt;
  }
  if (text == "down" || text == "drain") {
    out.down = true;
    return std::nullopt;
  }
  if (text == "backup") {
    if (behind_hash)
      return fault_at(source, word, "nginx takes no `backup` behind `hash`", "drop the line of this server");
    out.backup = true;
    return std::nullopt;
  }
  if (starts("service="))
    return fault_at(source, word, "which servers these are is known to DNS alone",
                    "write a line for each of them");
  return fault_at(source, word, "no such parameter of a server",
                  "known here: weight, max_fails, fail_timeout, max_conns, down, backup, resolve");
}

Fault read_server(const Source& source, const NginxDirective& d, Upstream& out) {
  if (d.words.size() < 2)
    return fault_at(source, d.words.front(), "a server without an address", "write server host:port;");
  Server server;
  server.at = d.words[1].at;
  if (auto fault = read_address(source, d.words[1], server)) return fault;
  for (std::size_t i = 2; i < d.words.size(); ++i)
    if (auto fault = read_parameter(source, d.words[i], out.hash != nullptr, server)) return fault;
  out.servers.push_back(std::move(server));
  return std::nullopt;
}

Fault read_hash(const Source& source, const NginxDirective& d, Upstream& out) {
  if (out.hash)
    return fault_at(source, d.words.front(),
                    "a second `hash`, after the one on line " + std::to_string(out.hash->words[0].at.line),
                    "keep one");
  if (d.words.size() < 2 || d.words.size() > 3)
    return fault_at(source, d.words.front(), "`hash` takes a key, and perhaps `consistent`",
                    "write hash $request_uri consistent;");
  if (d.words.size() == 3 && d.words[2].text != "consistent")
    return fault_at(source, d.words[2], "no such parameter of `hash`", "the only one is `consistent`");
  out.hash = &d;
  return std::nullopt;
}

Fault read_directive(const Source& source, const NginxDirective& d, Upstream& out) {
  static constexpr std::array<std::string_view, 5> of_no_matter{"zone", "queue", "resolver",
                                                                "resolver_timeout", "ntlm"};
  static constexpr std::array<std::string_view, 7> methods{
      "ip_hash", "least_conn", "least_time", "random", "sticky", "fair", "balancer_by_lua_block"};
  const auto one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), d.name()) != names.end();
  };
  if (d.name() == "server") return read_server(source, d, out);
  if (d.name() == "hash") return read_hash(source, d, out);
  if (one_of(of_no_matter) || d.name().starts_with("keepalive") || d.name().starts_with("check"))
    return std::nullopt;
  if (one_of(methods))
    return fault_at(source, d.words.front(),
                    "this upstream chooses servers by `" + std::string(d.name()) + "`, not by a hash alone",
                    "only upstreams with `hash KEY` or `hash KEY consistent` place keys");
  if (d.name() == "include")
    return fault_at(source, d.words.back(), "an include inside the upstream, which is not followed",
                    "put the lines of that file in its place");
  if (d.name() == "state")
    return fault_at(source, d.words.front(), "the servers stand in a state file, which is not followed",
                    "write its `server` lines here");
  return fault_at(source, d.words.front(), "no directive of an upstream that is known here",
                  "drop it if it does not change which server a key goes to");
}

Fault read_upstream(const Source& source, const NginxDirective& d, Upstream& out) {
  out.directive = &d;
  for (const NginxDirective& inside : d.block)
    if (auto fault = read_directive(source, inside, out)) return fault;
  if (out.servers.empty())
    return fault_at(source, d.words[1], "the upstream has no server", "list them as server host:port;");
  if (!out.hash)
    return fault_at(source, d.words[1], "this upstream does not hash: it takes servers in turn",
                    "only upstreams with `hash KEY` or `hash KEY consistent` place keys");
  return std::nullopt;
}

void report(const Upstream& upstream, const Server& server, const std::string& name, bool consistent,
            std::vector<Finding>& findings) {
  if (name != server.text)
    findings.push_back({Severity::warning, "same-name", name,
                        "two lines have the text " + server.text + ", and nginx lets them take turns",
                        "with `hash` a key's server is then not fixed: keep one line"});
  // localhost alone is often 127.0.0.1 and ::1: two peers, so the sum of weights is another one.
  if (!consistent && !server.address.starts_with('/') && !ip_address(server.host))
    findings.push_back({Severity::warning, "resolved-name", name,
                        "nginx takes every address that this name resolves to as a server of its own",
                        "write the addresses, if the name has several"});
  if (upstream.servers.size() > 1 && server.down)
    findings.push_back(
        {Severity::info, "marked-down", name, "it keeps its place, and its keys go on to others", ""});
}

}  // namespace

std::optional<std::string> nginx_address(std::string_view argument) {
  Server server;
  if (read_address({}, {std::string(argument), {}, false}, server)) return std::nullopt;
  return server.address;
}

bool is_nginx_line(std::string_view line) {
  std::string_view rest = line;
  if (take_word(rest) != "upstream") return false;
  const std::string_view name = take_word(rest);
  return name.find('{') != std::string_view::npos || (!name.empty() && trim(rest).starts_with('{'));
}

bool looks_like_nginx(std::string_view text) {
  return any_line(text, [](std::string_view line) {
    std::string_view rest = line;
    const std::string_view first = take_word(rest);
    if (first == "upstream") return words(rest).size() == 1;  // its brace is on the next line
    return (first == "http" || first == "stream" || first == "events" || first == "server") &&
           trim(rest).starts_with('{');
  });
}

Result<Cluster> import_nginx(const Inputs& inputs) {
  const Source& source = inputs.sources.front();
  const auto directives = read_nginx(source);
  if (!directives) return directives.error();
  Found found;
  if (auto fault = collect(source, *directives, found)) return *fault;
  const bool there = std::any_of(found.names.begin(), found.names.end(), [&](const PoolName& pool) {
    return inputs.options.pool.empty() || pool.name == inputs.options.pool;
  });
  if (!there && found.include)
    return fault_at(source, found.include->words.back(),
                    "no such upstream here, and this include is not followed",
                    std::string(whole_configuration));
  if (found.upstreams.empty())
    return fault_at(source, Place{1, 1}, "", "no upstream in the file", std::string(whole_configuration));
  const auto chosen = choose_pool(source, found.names, inputs.options, "upstream");
  if (!chosen) return chosen.error();
  Upstream upstream;
  if (auto fault = read_upstream(source, *found.upstreams[*chosen], upstream)) return *fault;

  const bool consistent = upstream.hash->words.size() == 3;
  ClusterMap::Parts parts;
  Observed observed;
  observed.format = "nginx";
  parts.cluster = found.names[*chosen].name;
  parts.placement.recipe = find_recipe(consistent ? "nginx-consistent" : "nginx-hash");
  parts.placement.hash = parts.placement.recipe->hash;
  observed.findings.push_back({Severity::info, "what-keys-are", parts.cluster,
                               "a key is the value of " + upstream.hash->words[1].text, ""});
  NodeNames names;
  std::vector<NodeIndex> down;
  for (const Server& server : upstream.servers) {
    if (server.backup) {
      observed.findings.push_back({Severity::info, "left-out", server.text,
                                   "a backup serves only when no other server can, so it is left out", ""});
      continue;
    }
    Node node;
    node.name = names.fresh(server.text);
    if (consistent && node.name != server.text) node.label = server.text;
    node.address = server.address;
    node.host = server.host;
    node.weight = server.weight;
    if (server.down) down.push_back(static_cast<NodeIndex>(parts.nodes.size()));
    report(upstream, server, node.name, consistent, observed.findings);
    parts.nodes.push_back(std::move(node));
  }
  if (parts.nodes.empty())
    return fault_at(source, found.upstreams[*chosen]->words[1], "every server of the upstream is a backup",
                    "nginx refuses that too: one must not be");
  return finished_import(std::move(parts), std::move(observed), down, inputs.options,
                         mark_at(source, found.names[*chosen].at));
}

}  // namespace arcwise
