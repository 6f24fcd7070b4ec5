// Redis's commands: which servers each goes to, and what is made of their answers.
#include <algorithm>

#include "router/proxy.hpp"
#include "router/redis_request.hpp"

namespace arcwise::router {
namespace {

// XREAD waits only when it is told to.
bool waits(const RedisCommand& command, const RespRequest& request, std::string_view bytes) noexcept {
  if (!command.name.starts_with("xread")) return true;
  for (std::size_t i = 1; i < request.words() && !equal_ignoring_case(request.word(bytes, i), "streams"); ++i)
    if (equal_ignoring_case(request.word(bytes, i), "block")) return true;
  return false;
}

std::string why_refused(const RedisCommand& command, std::string_view subcommand) {
  const std::string name(command.name);
  const std::string refused = "-ERR '" + name + "' is not routed: ";
  if (command.traits & redis_container && !subcommand.empty()) {
    std::string upper = name;
    for (char& c : upper) c = static_cast<char>(c - ('a' - 'A'));
    return "-ERR unknown subcommand '" + shown(subcommand) + "'. Try " + upper + " HELP.\r\n";
  }
  if (name.starts_with("cluster") || name == "readonly" || name == "readwrite" || name == "asking")
    return "-ERR This instance has cluster support disabled\r\n";
  if (command.traits & redis_pubsub)
    return refused + "what is published has no owner; ask a server itself\r\n";
  if (command.traits & redis_blocking)
    return refused + "it would hold up a connection that clients share; ask again in a while instead\r\n";
  if (command.traits & redis_admin) return refused + "it is for one server; ask that itself\r\n";
  return refused + "it belongs to no single key\r\n";
}

}  // namespace

std::size_t Proxy::serve_redis(const Asked& asked, std::string_view bytes) {
  Client& client = asked.client;
  std::size_t at = 0;
  while (at < bytes.size() && !client.closing) {
    if (!has_room(client)) {
      client.stopped = true;
      break;
    }
    const std::string_view rest = bytes.substr(at);
    const auto parsed = client.request.parse(rest, pool_.limits.redis);
    if (parsed.what == RespRequest::What::more) {
      client.wanted = rest.size() + 1;
      break;
    }
    if (parsed.what == RespRequest::What::broken) {
      ++counters_.errors;
      answer_now(client, parsed.error);
      client.closing = true;
      break;
    }
    client.alone = false;
    if (parsed.what == RespRequest::What::request) route_redis(asked, rest.substr(0, parsed.used));
    client.request.reset();
    if (client.stopped) break;
    at += parsed.used;
    counters_.requests += parsed.what == RespRequest::What::request;
  }
  return at;
}

void Proxy::route_redis(const Asked& asked, std::string_view bytes) {
  const RespRequest& request = asked.client.request;
  const std::string_view name = request.word(bytes, 0);
  const RedisCommand* command =
      find_redis_command(name, request.words() > 1 ? request.word(bytes, 1) : std::string_view());
  // A browser made to speak to this port: nothing it says behind that is a command of its user's.
  if (!command && (equal_ignoring_case(name, "post") || equal_ignoring_case(name, "host:"))) {
    ++counters_.errors;
    asked.client.closing = true;
    return;
  }
  if (!pool_.client_password.empty() && !asked.client.session.authenticated &&
      (!command || !is_open_to_all(*command)))
    return refuse(asked, "-NOAUTH Authentication required.\r\n");
  if (!command && equal_ignoring_case(name, "arcwise")) return explain_redis(asked, bytes);
  if (!command) return refuse(asked, "-ERR unknown command '" + shown(name) + "'\r\n");
  if (!has_arity(*command, request.words())) {
    std::string full(command->name);  // as Redis says it: 'xgroup|create'
    std::replace(full.begin(), full.end(), ' ', '|');
    return refuse(asked, "-ERR wrong number of arguments for '" + full + "' command\r\n");
  }
  if (command->route == RedisRoute::transaction) return transaction(asked, *command, bytes);
  if (asked.client.transaction && command->route != RedisRoute::session) return queue(asked, *command, bytes);
  switch (command->route) {
    case RedisRoute::owner:
      return to_owner(asked, *command, bytes);
    case RedisRoute::values:
    case RedisRoute::total:
    case RedisRoute::pairs:
      return split(asked, *command, bytes);
    case RedisRoute::all_ok:
      if (!pool_.flush_all && command->name.starts_with("flush"))
        return refuse(asked, "-ERR '" + std::string(command->name) + "' is switched off in this pool\r\n");
      return to_all(asked, *command, bytes);
    case RedisRoute::all_sum:
    case RedisRoute::all_same:
    case RedisRoute::all_true:
    case RedisRoute::all_keys:
    case RedisRoute::all_one:
      return to_all(asked, *command, bytes);
    case RedisRoute::any:
      return to_any(asked, bytes);
    case RedisRoute::scan:
      return scan(asked, bytes);
    case RedisRoute::own:
    case RedisRoute::session:
      return own_answer(asked, *command, bytes);
    default:
      return refuse(asked, why_refused(*command, request.words() > 1 ? request.word(bytes, 1) : ""));
  }
}

void Proxy::refuse(const Asked& asked, std::string_view text) {
  ++counters_.errors;
  if (asked.client.transaction) asked.client.transaction->broken = true;
  answer_now(asked.client, text);
}

std::optional<Proxy::ServerId> Proxy::owner_of_all(const Asked& asked, const RedisCommand& command,
                                                   std::string_view bytes) {
  const FoundCommand words{asked.client.request, bytes};
  ServerId server = nobody;
  std::size_t first = 0, other = 0;
  const bool fits = each_redis_key(command, words.words(), [&](std::size_t i) {
    const ServerId owner = owner_of(words.word(i));
    if (first == 0) {
      server = owner;
      first = i;
    } else if (owner != server && other == 0) {
      other = i;
    }
  });
  // Where there is no key, or no telling where, a server knows what is wrong with it.
  if (other == 0) return fits ? server : nobody;
  refuse(asked, "-CROSSSLOT Keys in request belong to different nodes: '" + shown(words.word(first)) +
                    "' and '" + shown(words.word(other)) + "'\r\n");
  return std::nullopt;
}

void Proxy::to_owner(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  if (command.traits & redis_blocking && waits(command, asked.client.request, bytes))
    return refuse(asked, why_refused(command, ""));
  const auto owner = owner_of_all(asked, command, bytes);
  if (!owner) return;
  if (*owner == nobody) return to_any(asked, bytes);
  to_server(asked, command, *owner, bytes);
}

void Proxy::to_server(const Asked& asked, const RedisCommand& command, ServerId owner,
                      std::string_view bytes) {
  add_slot(asked.client, Slot::Kind::whole, 1);
  Part part;
  part.read = command.name == "get";
  part.pure = (command.traits & redis_pure) != 0;
  if (asked.client.request.words() > 1) label(part, command.name, asked.client.request.word(bytes, 1));
  const FoundCommand found{asked.client.request, bytes};
  const RedisWords words = found.words();
  const Target target = target_of_all(command, words, owner, asked.now);
  if (target.elsewhere && deed_of(command) == Deed::write)
    return send_capped(asked, target, command, words, bytes);
  send(asked, target, asked.client.slots.end() - 1, part,
       [&](Buffer& out) { append_command(out, asked.client.request, bytes); });
}

// Each key goes to its owner as a command of its own; where one node holds all, the command goes as it is.
void Proxy::split(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  const RespRequest& request = asked.client.request;
  const FoundCommand words{request, bytes};
  const std::size_t step = command.route == RedisRoute::pairs ? 2 : 1;
  if ((request.words() - 1) % step != 0)
    return refuse(asked, "-ERR wrong number of arguments for 'mset' command\r\n");
  if (request.words() == 1 + step) return to_owner(asked, command, bytes);
  owners_.clear();
  for (std::size_t i = 1; i < request.words(); i += step) owners_.push_back(owner_of(words.word(i)));
  const ServerId first = owners_.front();
  const bool one = first != nobody && servers_[first].standing->here() &&
                   std::all_of(owners_.begin(), owners_.end(), [&](ServerId s) { return s == first; });
  if (one) return to_server(asked, command, first, bytes);

  const auto count = static_cast<std::uint32_t>((request.words() - 1) / step);
  const std::uint64_t head = asked.client.slots.end();
  const bool values = command.route == RedisRoute::values;
  Slot& slot = add_slot(asked.client, Slot::Kind::whole, count);
  if (values) {
    slot.elements = count;
    slot.bytes = "*" + std::to_string(count) + "\r\n";
    for (std::uint32_t i = 0; i < count; ++i) add_slot(asked.client, Slot::Kind::whole, 1);
  }
  Part part;
  part.use = values ? Use::element : command.route == RedisRoute::total ? Use::total : Use::all_ok;
  part.read = part.pure = values;
  const std::string opening = (step == 2 ? "*3\r\n" : "*2\r\n") + resp_bulk(words.word(0));
  for (std::size_t i = 1; i < request.words(); i += step) {
    const std::uint64_t own = values ? head + i : head;
    label(part, command.name, words.word(i));
    const Target target = target_of(words.word(i), owners_[(i - 1) / step], deed_of(command), asked.now);
    send_for(asked, target, head, part, own, [&](Buffer& out) {
      if (step == 2 && target.elsewhere) {
        const std::string ms = std::to_string(milliseconds(pool_.failing.longest_ttl).count());
        out.append("*5\r\n$3\r\nSET\r\n", resp_bulk(words.word(i)), resp_bulk(words.word(i + 1)),
                   "$2\r\nPX\r\n", resp_bulk(ms));
        return;
      }
      out.append(opening, resp_bulk(words.word(i)));
      if (step == 2) out.append(resp_bulk(words.word(i + 1)));
    });
  }
}

void Proxy::own_answer(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  Client& client = asked.client;
  if (command.name == "hello" || command.name == "reset") {
    // The protocol's version chooses the connections.
    if (!client.slots.empty()) return later(client);
    if (command.name == "reset") end_session(asked);
    if (client.lane != nobody)
      return refuse(asked, "-ERR HELLO is not routed while keys are watched: say it before\r\n");
  }
  const FoundCommand found{client.request, bytes};
  const RedisFacts facts{pool_, asked.id + 1, client_count_, counters_.requests, counters_.errors};
  const std::string answer = answer_redis(command, found.words(), facts, client.session);
  client.own_lanes = client.lane != nobody || client.session.protocol == 3;
  if (answer.starts_with('-')) return refuse(asked, answer);
  answer_now(client, answer);
  if (command.name == "quit") client.closing = true;
}

}  // namespace arcwise::router
