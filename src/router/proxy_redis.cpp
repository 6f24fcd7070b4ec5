// Redis's commands: which servers each goes to, and what is made of their answers.
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

struct Command {
  const RespRequest& request;
  std::string_view bytes;
  std::string_view word(std::size_t i) const noexcept { return request.word(bytes, i); }
};

RedisWords words_of(const Command& command) noexcept {
  return {&command, command.request.words(),
          [](const void* of, std::size_t i) noexcept { return static_cast<const Command*>(of)->word(i); }};
}

std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

// What people type comes back to them: printable, and not for ever.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 64)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

bool has_arity(const RedisCommand& command, std::size_t words) noexcept {
  return command.arity >= 0 ? words == static_cast<std::size_t>(command.arity)
                            : words >= static_cast<std::size_t>(-command.arity);
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
    at += parsed.used;
    if (parsed.what == RespRequest::What::request) {
      ++counters_.requests;
      route_redis(asked, rest.substr(0, parsed.used));
    }
    client.request.reset();
  }
  return at;
}

void Proxy::route_redis(const Asked& asked, std::string_view bytes) {
  const RespRequest& request = asked.client.request;
  const std::string_view name = request.word(bytes, 0);
  const RedisCommand* command =
      find_redis_command(name, request.words() > 1 ? request.word(bytes, 1) : std::string_view());
  if (!command && equal_ignoring_case(name, "arcwise")) return explain_redis(asked, bytes);
  if (!command) return refuse(asked, "-ERR unknown command '" + shown(name) + "'\r\n");
  if (!has_arity(*command, request.words()))
    return refuse(asked,
                  "-ERR wrong number of arguments for '" + std::string(command->name) + "' command\r\n");
  if (command->route == RedisRoute::transaction) return transaction(asked, command->name);
  if (asked.client.transaction) return queue(asked, *command, bytes);
  switch (command->route) {
    case RedisRoute::owner:
      return to_owner(asked, *command, bytes);
    case RedisRoute::values:
    case RedisRoute::total:
    case RedisRoute::pairs:
      return split(asked, *command, bytes);
    case RedisRoute::all_ok:
    case RedisRoute::all_sum:
      return to_all(asked, *command, bytes);
    case RedisRoute::own:
      return own_answer(asked, command->name, bytes);
    default:
      return refuse(
          asked, "-ERR '" + std::string(command->name) + "' is not routed: it belongs to no single key\r\n");
  }
}

void Proxy::refuse(const Asked& asked, std::string_view text) {
  ++counters_.errors;
  if (asked.client.transaction) asked.client.transaction->broken = true;
  answer_now(asked.client, text);
}

std::optional<Proxy::ServerId> Proxy::owner_of_all(const Asked& asked, const RedisCommand& command,
                                                   std::string_view bytes) {
  const Command words{asked.client.request, bytes};
  ServerId server = nobody;
  std::size_t first = 0, other = 0;
  const bool fits = each_redis_key(command, words_of(words), [&](std::size_t i) {
    const ServerId owner = owner_of(words.word(i));
    if (first == 0) {
      server = owner;
      first = i;
    } else if (owner != server && other == 0) {
      other = i;
    }
  });
  if (fits && first != 0 && other == 0) return server;
  if (!fits || first == 0)
    refuse(asked, "-ERR syntax error\r\n");
  else
    refuse(asked, "-CROSSSLOT Keys in request belong to different nodes: '" + shown(words.word(first)) +
                      "' and '" + shown(words.word(other)) + "'\r\n");
  return std::nullopt;
}

void Proxy::to_owner(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  const auto owner = owner_of_all(asked, command, bytes);
  if (!owner) return;
  add_slot(asked.client, Slot::Kind::whole, 1);
  Part part;
  part.read = command.name == "get";
  part.pure = (command.traits & redis_pure) != 0;
  if (asked.client.request.words() > 1) label(part, command.name, asked.client.request.word(bytes, 1));
  const Command command_words{asked.client.request, bytes};
  const RedisWords words = words_of(command_words);
  const Target target = target_of_all(command, words, *owner, asked.now);
  if (target.elsewhere && deed_of(command) == Deed::write)
    return send_capped(asked, target, command, words, bytes);
  send(asked, target, asked.client.slots.end() - 1, part,
       [&](Buffer& out) { append_command(out, asked.client.request, bytes); });
}

// Each key goes to its owner as a command of its own; where one node holds all, the command goes as it is.
void Proxy::split(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  const RespRequest& request = asked.client.request;
  const Command words{request, bytes};
  const std::size_t step = command.route == RedisRoute::pairs ? 2 : 1;
  if ((request.words() - 1) % step != 0)
    return refuse(asked, "-ERR wrong number of arguments for 'mset' command\r\n");
  const ServerId owner = owner_of(words.word(1));
  bool one = true;
  for (std::size_t i = 1 + step; one && i < request.words(); i += step)
    one = owner_of(words.word(i)) == owner;
  one &= owner == nobody || servers_[owner].standing->here();
  if (one) return to_owner(asked, command, bytes);

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
  const std::string opening = (step == 2 ? "*3\r\n" : "*2\r\n") + bulk(words.word(0));
  for (std::size_t i = 1; i < request.words(); i += step) {
    const std::uint64_t own = values ? head + i : head;
    label(part, command.name, words.word(i));
    const Target target = target_of(words.word(i), deed_of(command), asked.now);
    send_for(asked, target, head, part, own, [&](Buffer& out) {
      if (step == 2 && target.elsewhere) {
        const std::string ms = std::to_string(milliseconds(pool_.failing.longest_ttl).count());
        out.append("*5\r\n$3\r\nSET\r\n", bulk(words.word(i)), bulk(words.word(i + 1)), "$2\r\nPX\r\n",
                   bulk(ms));
        return;
      }
      out.append(opening, bulk(words.word(i)));
      if (step == 2) out.append(bulk(words.word(i + 1)));
    });
  }
}

void Proxy::to_all(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  const std::uint64_t head = asked.client.slots.end();
  add_slot(asked.client, Slot::Kind::whole, static_cast<std::uint32_t>(current_.size()));
  Part part;
  part.use = command.route == RedisRoute::all_ok ? Use::all_ok : Use::total;
  for (const ServerId s : current_)
    send(asked, all_of(s), head, part,
         [&](Buffer& out) { append_command(out, asked.client.request, bytes); });
}

void Proxy::own_answer(const Asked& asked, std::string_view name, std::string_view bytes) {
  const RespRequest& request = asked.client.request;
  const Command words{request, bytes};
  const auto say = [&](std::string_view text) { answer_now(asked.client, text); };
  if (name == "ping") return say(request.words() > 1 ? bulk(words.word(1)) : "+PONG\r\n");
  if (name == "echo") return say(bulk(words.word(1)));
  if (name == "select") {
    if (words.word(1) == std::to_string(pool_.database)) return say("+OK\r\n");
    return say("-ERR this pool's database is " + std::to_string(pool_.database) + "\r\n");
  }
  if (name == "auth") return say("-ERR AUTH <password> called without any password configured\r\n");
  if (name == "hello") {
    if (request.words() > 1 && words.word(1) != "2") return say("-NOPROTO unsupported protocol version\r\n");
    return say("*6\r\n$6\r\nserver\r\n$8\r\narcwised\r\n$5\r\nproto\r\n:2\r\n$4\r\nmode\r\n$5\r\nproxy\r\n");
  }
  if (name == "client id") return say(":" + std::to_string(asked.id + 1) + "\r\n");
  if (name == "client getname") return say("$-1\r\n");
  if (name == "client info") return say(bulk("id=" + std::to_string(asked.id + 1)));
  if (name == "command count") return say(":0\r\n");
  if (name == "command" || name == "command docs") return say("*0\r\n");
  if (name == "config get") return say("*2\r\n" + bulk(words.word(2)) + "$0\r\n\r\n");
  if (name == "info") {
    std::string text = "# arcwised\r\npool:" + pool_.name +
                       "\r\nconnected_clients:" + std::to_string(client_count_) +
                       "\r\nrequests:" + std::to_string(counters_.requests) +
                       "\r\nerrors:" + std::to_string(counters_.errors) + "\r\n";
    return say(bulk(text));
  }
  say("+OK\r\n");
  if (name == "quit") asked.client.closing = true;
}

}  // namespace arcwise::router
