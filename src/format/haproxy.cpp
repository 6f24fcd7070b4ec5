#include "format/haproxy.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "format/columns.hpp"
#include "format/recognise.hpp"
#include "place/haproxy.hpp"
#include "place/ip_address.hpp"

namespace arcwise {
namespace {

using Severity = Finding::Severity;
using Fault = std::optional<Error>;

// The lines of a proxy that decide, the last one of each kind; those of its defaults come first.
struct Proxy {
  const HaproxySection* section = nullptr;
  const HaproxyLine *balance = nullptr, *hash_type = nullptr, *factor = nullptr, *mode = nullptr,
                    *sticks = nullptr;
  bool all_backups = false;
  HaproxyServer defaults;
  std::vector<HaproxyServer> servers;
};

struct HashType {
  bool consistent = false;
  KeyHashId hash = KeyHashId::sdbm;
};

Fault take_line(const Source& source, const HaproxyLine& line, bool own, Proxy& out) {
  const std::string& word = line.front().text;
  const auto second = [&](std::string_view text) { return line.size() > 1 && line[1].text == text; };
  if (word == "balance") out.balance = &line;
  if (word == "hash-type") out.hash_type = &line;
  if (word == "hash-balance-factor") out.factor = &line;
  if (word == "mode") out.mode = &line;
  if (word == "option" && second("allbackups")) out.all_backups = true;
  if (word == "no" && second("option") && line.size() > 2 && line[2].text == "allbackups")
    out.all_backups = false;
  if (word == "no" && line.size() > 1 && !second("option") && !second("log"))
    return fault_at(source, line[1], "`no` takes back options and log alone, and HAProxy refuses this",
                    "drop the line, or comment it out");
  const bool sticks = word == "cookie" || word == "use-server" || word == "force-persist" ||
                      (word == "stick" && !second("store-response"));
  if (sticks && !out.sticks) out.sticks = &line;
  if (word == "default-server") return read_haproxy_options(source, line, 1, out.defaults);
  if (own && (word == "server" || word == "server-template"))
    return read_haproxy_servers(source, line, out.defaults, out.servers);
  return std::nullopt;
}

// The defaults of a section, outermost first: the one that it names, else the last one before it.
Fault defaults_of(const Source& source, const std::vector<HaproxySection>& sections, std::size_t of,
                  std::vector<const HaproxySection*>& out) {
  const ConfigWord* from = sections[of].from();
  if (!from && sections[of].kind() == "defaults") return std::nullopt;
  for (std::size_t i = of; i-- > 0;) {
    if (sections[i].kind() != "defaults" || (from && sections[i].name() != from->text)) continue;
    if (auto fault = defaults_of(source, sections, i, out)) return fault;
    out.push_back(&sections[i]);
    return std::nullopt;
  }
  if (!from) return std::nullopt;
  return fault_at(source, *from, "no defaults section of this name before this place",
                  "bring the file that has it, in one with this section");
}

Fault read_proxy(const Source& source, const std::vector<HaproxySection>& sections, std::size_t which,
                 Proxy& out) {
  out.section = &sections[which];
  std::vector<const HaproxySection*> defaults;
  if (auto fault = defaults_of(source, sections, which, defaults)) return fault;
  for (const HaproxySection* section : defaults)
    for (const HaproxyLine& line : section->lines)
      if (auto fault = take_line(source, line, false, out)) return fault;
  for (const HaproxyLine& line : out.section->lines)
    if (auto fault = take_line(source, line, true, out)) return fault;
  std::set<std::string_view> names;
  std::set<std::uint64_t> ids;
  for (const HaproxyServer& server : out.servers) {
    if (!names.insert(server.name).second)
      return fault_at(source, server.at, server.name, "a second server of this name",
                      "HAProxy refuses that: rename one");
    if (server.id && !ids.insert(*server.id).second)
      return fault_at(source, server.at, server.name,
                      "the number " + std::to_string(*server.id) + " is another server's already",
                      "HAProxy refuses that: give it another `id`");
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 5> functions{"sdbm", "djb2", "wt6", "crc32", "none"};
constexpr std::array<KeyHashId, 5> plain_hashes{KeyHashId::sdbm, KeyHashId::djb2, KeyHashId::wt6,
                                                KeyHashId::crc32, KeyHashId::decimal32};
constexpr std::array<KeyHashId, 5> avalanche_hashes{KeyHashId::sdbm_avalanche, KeyHashId::djb2_avalanche,
                                                    KeyHashId::wt6_avalanche, KeyHashId::crc32_avalanche,
                                                    KeyHashId::decimal32_avalanche};

// hash-type METHOD [FUNCTION [avalanche]]. Worked example: `consistent` alone is sdbm with avalanche, but
// `consistent sdbm` is sdbm without it.
Fault read_hash_type(const Source& source, const HaproxyLine* line, HashType& out) {
  if (!line) return std::nullopt;
  const auto word = [&](std::size_t i) {
    return i < line->size() ? std::string_view((*line)[i].text) : std::string_view();
  };
  if (word(1) != "consistent" && word(1) != "map-based")
    return fault_at(source, line->size() > 1 ? (*line)[1] : line->front(), "no such method of `hash-type`",
                    "HAProxy knows: map-based, consistent");
  out.consistent = word(1) == "consistent";
  out.hash = out.consistent ? KeyHashId::sdbm_avalanche : KeyHashId::sdbm;
  if (line->size() == 2) return std::nullopt;
  const auto* found = std::find(functions.begin(), functions.end(), word(2));
  if (found == functions.end())
    return fault_at(source, (*line)[2], "no such hash function",
                    "HAProxy knows: sdbm, djb2, wt6, crc32, none");
  if (line->size() > 4 || (line->size() == 4 && word(3) != "avalanche"))
    return fault_at(source, line->back(), "no such modifier of the hash function",
                    "the only one is `avalanche`");
  const auto at = static_cast<std::size_t>(found - functions.begin());
  out.hash = (line->size() == 4 ? avalanche_hashes : plain_hashes)[at];
  return std::nullopt;
}

Fault check_mode(const Source& source, const Proxy& proxy, const HaproxyBalance& balance,
                 std::vector<Finding>& findings) {
  const bool known = proxy.mode && proxy.mode->size() > 1;
  const std::string_view mode = known ? std::string_view((*proxy.mode)[1].text) : "tcp";
  if ((!balance.needs_http || mode == "http") && (!balance.needs_tcp || mode == "tcp")) return std::nullopt;
  if (known)
    return fault_at(
        source, (*proxy.balance)[1],
        "in `mode " + std::string(mode) + "` HAProxy does not hash this, and takes servers in turn",
        balance.needs_http ? "write mode http" : "write mode tcp");
  findings.push_back({Severity::warning, "no-mode", std::string(proxy.section->name()),
                      "no `mode http` is in the file; without it HAProxy takes servers in turn",
                      "write it here, or in `defaults`"});
  return std::nullopt;
}

Fault check_factor(const Source& source, const Proxy& proxy, bool consistent,
                   std::vector<Finding>& findings) {
  if (!proxy.factor || !consistent) return std::nullopt;
  const ConfigWord& word = proxy.factor->back();
  const auto factor = parse_count(word.text, 65535);
  if (!factor || (*factor > 0 && *factor <= 100))
    return fault_at(source, word, "a hash-balance-factor that is neither 0 nor above 100",
                    "125 to 200 is usual; 0 switches it off");
  if (*factor)
    findings.push_back({Severity::warning, "bounded-load", std::string(proxy.section->name()),
                        "hash-balance-factor " + word.text + ": a server above its load limit passes keys on",
                        "the map says where keys go while no server is above its limit"});
  return std::nullopt;
}

// The number of every server, those left out too.
std::vector<std::uint32_t> numbers_of(const Proxy& proxy, const Mark& at) {
  ClusterMap::Parts parts;
  parts.placement.recipe = find_recipe("haproxy-map-based");
  parts.placement.hash = parts.placement.recipe->hash;
  for (const HaproxyServer& server : proxy.servers) {
    Node node;
    node.name = server.name;
    node.bucket = server.id;
    parts.nodes.push_back(std::move(node));
  }
  const auto map = ClusterMap::build(std::move(parts), at);
  return map ? haproxy_ids(*map) : std::vector<std::uint32_t>{};
}

// Servers that take keys: active ones, else the first backup, or every one with `option allbackups`.
std::vector<std::size_t> serving(const Proxy& proxy, std::vector<Finding>& findings) {
  std::vector<std::size_t> active, backups;
  bool weighs = false;
  for (std::size_t i = 0; i < proxy.servers.size(); ++i) {
    const HaproxyServer& server = proxy.servers[i];
    if (server.disabled) continue;
    if (!server.backup) active.push_back(i);
    if (server.backup && server.weight > 0 && (proxy.all_backups || backups.empty())) backups.push_back(i);
    weighs |= !server.backup && server.weight > 0;
  }
  const std::vector<std::size_t>& chosen = weighs ? active : backups;
  for (std::size_t i = 0, next = 0; i < proxy.servers.size(); ++i) {
    if (next < chosen.size() && chosen[next] == i)
      ++next;
    else
      findings.push_back({Severity::info, "left-out", proxy.servers[i].name,
                          proxy.servers[i].disabled ? "it is disabled; the others keep their numbers"
                          : weighs                  ? "a backup serves only when no active server is left"
                                   : "not the backup that serves while no active server is left",
                          ""});
  }
  return chosen;
}

Fault check_hash_key(const Source& source, const HaproxyServer& server, const HaproxyServer& first) {
  const std::string& key = server.hash_key.text;
  if (key != first.hash_key.text)
    return fault_at(
        source, server.at, server.name,
        "its hash-key is `" + key + "`, and that of " + first.name + " is `" + first.hash_key.text + "`",
        "a map has one for all servers: write it in `default-server`");
  const bool addressed = key == "addr" || key == "addr-port";
  const bool named =
      !ip_address(server.host) && !server.host.starts_with('/') && server.host.find('@') == std::string::npos;
  if (addressed && named)
    return fault_at(source, server.at, server.host,
                    "with `hash-key " + key + "` the address counts, and this name hides it",
                    "write the address that it resolves to");
  if (key == "addr-port" && !server.has_port)
    return fault_at(source, server.at, server.name,
                    "with `hash-key addr-port` a server needs a port of its own", "write host:port");
  return std::nullopt;
}

Fault add_nodes(const Source& source, const Proxy& proxy, bool consistent, ClusterMap::Parts& parts,
                std::vector<Finding>& findings) {
  const auto numbers = numbers_of(proxy, mark_at(source, proxy.section->opening.front().at));
  const auto chosen = serving(proxy, findings);
  if (chosen.empty())
    return fault_at(source, proxy.section->opening[1], "no server of this section can take a key",
                    "one must be enabled and have a weight above 0");
  const HaproxyServer& first = proxy.servers[chosen.front()];
  for (const std::size_t i : chosen) {
    const HaproxyServer& server = proxy.servers[i];
    if (consistent)
      if (auto fault = check_hash_key(source, server, first)) return fault;
    Node node;
    node.name = server.name;
    node.address = server.address;
    node.host = server.host;
    node.weight = server.weight;
    node.bucket = numbers.at(i);
    if (consistent && first.hash_key.text == "guid") node.label = server.guid;
    parts.nodes.push_back(std::move(node));
  }
  if (consistent && first.hash_key.text != "id") parts.placement.settings["hash_key"] = first.hash_key.text;
  return std::nullopt;
}

void report(const Proxy& proxy, const HaproxyBalance& balance, bool depends_on_version,
            std::vector<Finding>& findings) {
  const std::string name(proxy.section->name());
  findings.push_back({Severity::info, "what-keys-are", name, "a key is " + balance.what_keys_are, ""});
  if (proxy.sticks)
    findings.push_back({Severity::warning, "sticky", name,
                        "`" + proxy.sticks->front().text + "` on line " +
                            std::to_string(proxy.sticks->front().at.line) +
                            " may send a client elsewhere than the hash does",
                        "the map says where requests go that nothing has bound to a server"});
  if (depends_on_version)
    findings.push_back({Severity::info, "depends-on-version", name,
                        "HAProxy 3.0 to early 3.3 place these servers elsewhere",
                        "read the file with --from haproxy-3.0 if that is what runs"});
}

}  // namespace

std::string haproxy_hash_words(KeyHashId hash) {
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (plain_hashes[i] == hash) return std::string(functions[i]);
    if (avalanche_hashes[i] == hash) return std::string(functions[i]) + " avalanche";
  }
  return {};
}

bool is_haproxy_line(std::string_view line) {
  static constexpr std::array<std::string_view, 9> algorithms{
      "roundrobin", "static-rr", "leastconn", "first", "source", "uri", "url_param", "random", "hash"};
  std::string_view rest = line;
  const std::string_view word = take_word(rest), next = take_word(rest);
  if (word == "hash-type") return next == "consistent" || next == "map-based";
  if (word != "balance") return false;
  return std::find(algorithms.begin(), algorithms.end(), next) != algorithms.end() ||
         next.starts_with("hdr(") || next.starts_with("rdp-cookie");
}

bool looks_like_haproxy(std::string_view text) {
  return any_line(text, [](std::string_view line) {
    const auto cells = words(line);
    const bool opens = (cells.size() == 2 || (cells.size() == 4 && cells[2] == "from")) &&
                       (cells[0] == "backend" || cells[0] == "listen" || cells[0] == "frontend");
    return opens && line.find_first_of(";{}:\"") == std::string_view::npos;
  });
}

Result<Cluster> import_haproxy(const Inputs& inputs) {
  const Source& source = inputs.sources.front();
  const auto sections = read_haproxy(source);
  if (!sections) return sections.error();
  std::vector<PoolName> names;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sections->size(); ++i) {
    const HaproxySection& section = (*sections)[i];
    if (!section.is_proxy_with_servers()) continue;
    if (section.name().empty())
      return fault_at(source, section.opening.front(), "a section without a name", "write backend NAME");
    names.push_back({std::string(section.name()), section.opening[1].at});
    places.push_back(i);
  }
  if (names.empty())
    return fault_at(source, Place{1, 1}, "", "no backend or listen section with a server in the file",
                    "bring the file that has it, with its defaults");
  const auto chosen = choose_pool(source, names, inputs.options, "backend");
  if (!chosen) return chosen.error();
  Proxy proxy;
  if (auto fault = read_proxy(source, *sections, places[*chosen], proxy)) return *fault;
  if (!proxy.balance)
    return fault_at(source, proxy.section->opening[1], "no `balance` line, so HAProxy takes servers in turn",
                    "only a `balance` that hashes places keys");

  HashType type;
  HaproxyBalance balance;
  Observed observed;
  if (auto fault = read_haproxy_balance(source, *proxy.balance, balance)) return *fault;
  if (auto fault = read_hash_type(source, proxy.hash_type, type)) return *fault;
  if (auto fault = check_mode(source, proxy, balance, observed.findings)) return *fault;
  if (auto fault = check_factor(source, proxy, type.consistent, observed.findings)) return *fault;
  const bool is_30 = inputs.formats.front() == "haproxy-3.0";
  ClusterMap::Parts parts;
  observed.format = std::string(inputs.formats.front());
  parts.cluster = names[*chosen].name;
  parts.placement.recipe = find_recipe(!type.consistent ? "haproxy-map-based"
                                       : is_30          ? "haproxy-consistent-3.0"
                                                        : "haproxy-consistent");
  parts.placement.hash = type.hash;
  parts.placement.settings = balance.settings;
  if (auto fault = add_nodes(source, proxy, type.consistent, parts, observed.findings)) return *fault;
  report(proxy, balance, type.consistent && !is_30 && parts.placement.text("hash_key") == "id",
         observed.findings);
  return finished_import(std::move(parts), std::move(observed), {}, inputs.options,
                         mark_at(source, names[*chosen].at));
}

}  // namespace arcwise
