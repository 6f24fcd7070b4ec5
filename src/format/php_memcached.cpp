#include "format/php_memcached.hpp"

#include <algorithm>
#include <array>

#include "format/columns.hpp"
#include "format/libmemcached_client.hpp"
#include "format/php_tokens.hpp"

namespace arcwise {
namespace {

using Kind = PhpToken::Kind;
using Fault = std::optional<Error>;
using Distribution = LibmemcachedClient::Distribution;

constexpr std::string_view form =
    "bring the calls setOption, setOptions, addServer and addServers with literal values, in their order";

constexpr std::array<std::string_view, 25> harmless{"OPT_COMPRESSION",
                                                    "OPT_COMPRESSION_TYPE",
                                                    "OPT_SERIALIZER",
                                                    "OPT_USER_FLAGS",
                                                    "OPT_STORE_RETRY_COUNT",
                                                    "OPT_TCP_KEEPALIVE",
                                                    "OPT_BUFFER_WRITES",
                                                    "OPT_BINARY_PROTOCOL",
                                                    "OPT_NO_BLOCK",
                                                    "OPT_TCP_NODELAY",
                                                    "OPT_SOCKET_SEND_SIZE",
                                                    "OPT_SOCKET_RECV_SIZE",
                                                    "OPT_CONNECT_TIMEOUT",
                                                    "OPT_RETRY_TIMEOUT",
                                                    "OPT_DEAD_TIMEOUT",
                                                    "OPT_SEND_TIMEOUT",
                                                    "OPT_RECV_TIMEOUT",
                                                    "OPT_POLL_TIMEOUT",
                                                    "OPT_CACHE_LOOKUPS",
                                                    "OPT_SERVER_FAILURE_LIMIT",
                                                    "OPT_NOREPLY",
                                                    "OPT_VERIFY_KEY",
                                                    "OPT_USE_UDP",
                                                    "OPT_RANDOMIZE_REPLICA_READ",
                                                    "OPT_SERVER_TIMEOUT_LIMIT"};

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

class Reader {
 public:
  explicit Reader(std::vector<PhpToken> tokens) : tokens_(std::move(tokens)) {}

  Fault read() {
    while (now().kind != Kind::end) {
      if (now().is(";") || now().is(",")) {
        ++at_;
        continue;
      }
      if (auto fault = statement()) return fault;
      if (now().kind != Kind::end && !now().is(";") && !now().is(","))
        return wrong("expected the end of the statement");
    }
    return std::nullopt;
  }

  LibmemcachedClient client;

 private:
  const PhpToken& now() const { return ahead(0); }
  const PhpToken& ahead(std::size_t n) const { return tokens_[std::min(at_ + n, tokens_.size() - 1)]; }
  bool take(std::string_view sign) { return now().is(sign) && ++at_; }

  Error wrong(std::string why) const { return wrong(now(), std::move(why)); }
  Error wrong(const PhpToken& token, std::string why) const {
    if (token.kind == Kind::end) why = "the text ends here: " + why;
    return {ErrorKind::input, token.at, token.text, std::move(why), std::string(form)};
  }
  Fault expect(std::string_view sign) {
    if (take(sign)) return std::nullopt;
    return wrong("expected " + std::string(sign));
  }

  Fault statement() {
    if (now().kind == Kind::name && now().text != "Memcached")
      return wrong("a statement that is not understood");
    if (now().kind != Kind::variable) return option("=>");
    if (variable_.empty()) variable_ = now().text;
    if (now().text != variable_) return wrong("a second client beside " + variable_);
    ++at_;
    if (take("=")) return construction();
    if (auto fault = expect("->")) return fault;
    const PhpToken& name = now();
    const std::string call = lower(name.text);
    ++at_;
    if (auto fault = expect("(")) return fault;
    Fault fault;
    if (call == "setoption")
      fault = option(",");
    else if (call == "setoptions")
      fault = list([&] { return option("=>"); });
    else if (call == "addserver")
      fault = server(")", false);
    else if (call == "addservers")
      fault = list([&] { return server_entry(); });
    else if (call == "resetserverlist")
      client.clear_servers();
    else
      return wrong(name, "a call that is not understood");
    if (fault) return fault;
    return expect(")");
  }

  // `= new Memcached('id')`: the name of a persistent client places no key.
  Fault construction() {
    if (now().text != "new") return wrong("expected new Memcached");
    ++at_;
    take("\\");
    if (now().text != "Memcached") return wrong("expected Memcached");
    ++at_;
    if (!take("(")) return std::nullopt;
    if (now().kind == Kind::text) ++at_;
    return expect(")");
  }

  // The items of [ … ] or array( … ).
  template <class Item>
  Fault list(Item&& item) {
    std::string_view close = "]";
    if (now().kind == Kind::name && lower(now().text) == "array") {
      ++at_;
      close = ")";
    }
    if (auto fault = expect(close == "]" ? "[" : "(")) return fault;
    while (!take(close)) {
      if (auto fault = item()) return fault;
      if (!now().is(close))
        if (auto fault = expect(",")) return fault;
    }
    return std::nullopt;
  }

  // Memcached::NAME
  Fault constant(PhpToken& out) {
    take("\\");
    if (now().kind != Kind::name || now().text != "Memcached" || !ahead(1).is("::") ||
        ahead(2).kind != Kind::name)
      return wrong("expected a constant such as Memcached::OPT_DISTRIBUTION");
    out = ahead(2);
    at_ += 3;
    return std::nullopt;
  }

  Fault value(PhpToken& out) {
    out = now();
    if (out.is("\\") || (out.kind == Kind::name && ahead(1).is("::"))) return constant(out);
    const std::string word = lower(out.text);
    if (out.kind == Kind::name && word != "true" && word != "false" && word != "null")
      return wrong("expected a value: a number, a text, true, false or a constant of Memcached");
    if (out.kind == Kind::name) out.text = word;
    if (out.kind == Kind::sign || out.kind == Kind::variable || out.kind == Kind::end)
      return wrong("expected a value: a number, a text, true, false or a constant of Memcached");
    ++at_;
    return std::nullopt;
  }

  // NAME => VALUE in a list of options, NAME, VALUE in a call.
  Fault option(std::string_view between) {
    PhpToken name, to;
    if (auto fault = constant(name)) return fault;
    if (auto fault = expect(between)) return fault;
    if (auto fault = value(to)) return fault;
    return set(name, to);
  }

  Fault set(const PhpToken& name, const PhpToken& to) {
    const bool on = to.text != "false" && to.text != "null" && to.text != "0" && !to.text.empty();
    if (name.text == "OPT_DISTRIBUTION") return distribution(to);
    if (name.text == "OPT_HASH") return hash(to);
    if (name.text == "OPT_LIBKETAMA_COMPATIBLE") {
      client.set_ketama_weighted(on);
      if (!on) {  // the extension then sets the defaults itself
        client.set_hash(KeyHashId::one_at_a_time);
        client.set_distribution(Distribution::modula);
      }
    } else if (name.text == "OPT_PREFIX_KEY") {
      client.set_prefix(to.text == "null" ? "" : to.text);
    } else if (name.text == "OPT_HASH_WITH_PREFIX_KEY") {
      client.set_hash_with_prefix(on);
    } else if (name.text == "OPT_SORT_HOSTS") {
      client.set_sort_hosts(on);
    } else if (name.text == "OPT_LIBKETAMA_HASH") {
      client.note({Finding::Severity::warning, "points-hash-ignored", name.text,
                   "libmemcached stores this hash and never uses it", "set OPT_HASH, before the servers"});
    } else if (name.text == "OPT_NUMBER_OF_REPLICAS") {
      if (on) client.note(copies_note(name.text));
    } else if (name.text == "OPT_AUTO_EJECT_HOSTS" || name.text == "OPT_REMOVE_FAILED_SERVERS") {
      if (on) client.note(eject_note(name.text));
    } else if (std::find(harmless.begin(), harmless.end(), std::string_view(name.text)) == harmless.end()) {
      return wrong(name, "the extension has no such option");
    }
    return std::nullopt;
  }

  Fault distribution(const PhpToken& to) {
    if (to.text == "DISTRIBUTION_CONSISTENT" || to.text == "1")
      client.set_distribution(Distribution::consistent);
    else if (to.text == "DISTRIBUTION_MODULA" || to.text == "0")
      client.set_distribution(Distribution::modula);
    else if (to.text == "DISTRIBUTION_VIRTUAL_BUCKET" || to.text == "6")
      client.set_distribution(Distribution::virtual_bucket);
    else
      return wrong(to,
                   "expected DISTRIBUTION_CONSISTENT, DISTRIBUTION_MODULA or DISTRIBUTION_VIRTUAL_BUCKET");
    return std::nullopt;
  }

  Fault hash(const PhpToken& to) {
    auto known = std::string_view(to.text).starts_with("HASH_")
                     ? LibmemcachedClient::find_hash(to.text.substr(5))
                     : std::nullopt;
    if (const auto number = parse_count(to.text, 99); number && to.kind == Kind::number)
      known = LibmemcachedClient::find_hash(*number);
    if (!known) return wrong(to, "expected a hash such as Memcached::HASH_MD5");
    client.set_hash(*known);
    return std::nullopt;
  }

  Fault server_entry() {
    std::string_view close = "]";
    if (now().kind == Kind::name && lower(now().text) == "array") {
      ++at_;
      close = ")";
    }
    if (auto fault = expect(close == "]" ? "[" : "(")) return fault;
    if (auto fault = server(close, true)) return fault;
    return expect(close);
  }

  // 'HOST', PORT[, WEIGHT], up to what closes it.
  Fault server(std::string_view close, bool listed) {
    LibmemcachedClient::Server out;
    if (now().kind != Kind::text || now().text.empty()) return wrong("expected a host in quotes");
    out.at = now().at;
    out.host = now().text;
    ++at_;
    if (auto fault = expect(",")) return fault;
    if (auto fault = whole(65535, "expected a port, 0 to 65535", out.port)) return fault;
    if (take(",") && !now().is(close))
      if (auto fault = whole(~0U, "expected a weight, a whole number", out.weight)) return fault;
    take(",");
    // addServer gives a socket the default port, which is then not hashed: "/a.sock-0". addServers gives it
    // port 0: "/a.sock:0-0".
    if (out.host.starts_with('/')) out.port = listed ? 0 : out.port == 0 ? 11211 : out.port;
    client.add(std::move(out));
    return std::nullopt;
  }

  Fault whole(std::uint64_t last, std::string why, std::uint32_t& out) {
    const auto number = parse_count(now().text, last);
    if (!number || (now().kind != Kind::number && now().kind != Kind::text)) return wrong(std::move(why));
    out = static_cast<std::uint32_t>(*number);
    ++at_;
    return std::nullopt;
  }

  std::vector<PhpToken> tokens_;
  std::size_t at_ = 0;
  std::string variable_;
};

}  // namespace

bool is_php_memcached(std::string_view text) {
  return text.find("Memcached::OPT_") != std::string_view::npos ||
         ((text.find("->addServer(") != std::string_view::npos ||
           text.find("->addServers(") != std::string_view::npos) &&
          text.find('$') != std::string_view::npos);
}

Result<Cluster> import_php_memcached(const Inputs& inputs) {
  auto tokens = php_tokens(inputs.sources.front());
  if (!tokens) return tokens.error();
  Reader reader(std::move(*tokens));
  if (auto fault = reader.read()) return *fault;
  return reader.client.cluster(inputs, "php-memcached");
}

}  // namespace arcwise
