// memcached's commands: which servers each goes to, and what is made of their answers.
#include <array>
#include <charconv>
#include <cmath>

#include "router/memcached_key.hpp"
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

/// What a command is answered with, and does to the value of its key.
struct Asks {
  McReply reply;
  Deed deed;
};

Asks asks(const McRequest& request) noexcept {
  switch (request.verb) {
    case McVerb::get:
    case McVerb::gat:
      return {McReply::values, Deed::read};
    case McVerb::gets:
    case McVerb::gats:
      return {McReply::unique_values, Deed::read};
    case McVerb::meta_get:  // makes an item where it says what to do without one
      return {McReply::meta_get, request.has('N') ? Deed::write : Deed::read};
    case McVerb::meta_set:
      return {McReply::meta_set, Deed::write};
    case McVerb::meta_delete:
      return {McReply::meta_delete, Deed::remove};
    case McVerb::meta_arithmetic:
      return {McReply::meta_arithmetic, Deed::write};
    case McVerb::meta_debug:
      return {McReply::debug, Deed::read};
    case McVerb::remove:
      return {McReply::removed, Deed::remove};
    case McVerb::touch:
      return {McReply::touched, Deed::read};
    case McVerb::incr:
    case McVerb::decr:
      return {McReply::number, Deed::write};
    default:
      return {McReply::stored, Deed::write};
  }
}

// The flags without q; servers answer every part, so that nothing gets out of step. Of a flag without a value
// memcached reads the first character only: `q1` is quiet, too.
void append_unquiet(std::string& out, std::string_view flags) {
  for (std::string_view word = next_word(flags); !word.empty(); word = next_word(flags))
    if (word.front() != 'q') out.append(1, ' ').append(word);
}

// What memcached answers to a meta get that finds nothing: flags that it gives back are told all the same.
std::string meta_miss(const McRequest& request) {
  std::string out = "EN";
  std::string_view flags = request.rest;
  for (std::string_view word = next_word(flags); !word.empty(); word = next_word(flags)) {
    if (word.front() == 'O') {
      if (word.size() > mc_longest_opaque) return "CLIENT_ERROR opaque token too long\r\n";
      out.append(1, ' ').append(word);
    } else if (word.front() == 'k') {
      const bool encoded = request.has('b');
      out += " k" + (encoded ? mc_base64(McKey(request.key, true).view()) + " b" : std::string(request.key));
    }
  }
  return out + "\r\n";
}

// A browser was made to speak to it: as memcached does, nothing more is heard, for commands may stand in what
// it posts.
bool is_http(std::string_view rest) noexcept {
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  return rest.substr(rest.find_last_of(' ') + 1).starts_with("HTTP/");
}

void append_meta_get(Buffer& out, std::string_view key, McTag tag, bool unique) {
  const std::array<char, 4> opaque = mc_opaque(tag);
  out.append("mg ", key, std::string_view(opaque.data(), opaque.size()));
  out.append(unique ? " v f c\r\n" : " v f\r\n");
}

bool is_get(McVerb verb) noexcept {
  return verb == McVerb::get || verb == McVerb::gets || verb == McVerb::gat || verb == McVerb::gats;
}

// It is the servers' own, and nothing of theirs is changed.
std::string_view verbosity(std::string_view rest) noexcept {
  const std::string_view level = next_word(rest);
  next_word(rest);  // where `noreply` may stand
  if (level.empty() || !next_word(rest).empty()) return "ERROR\r\n";
  unsigned value = 0;
  const auto [end, error] = std::from_chars(level.data(), level.data() + level.size(), value);
  const bool number = error == std::errc() && end == level.data() + level.size();
  return number ? "OK\r\n" : "CLIENT_ERROR bad command line format\r\n";
}

}  // namespace

std::size_t Proxy::serve_memcached(const Asked& asked, std::string_view bytes) {
  Client& client = asked.client;
  std::size_t at = 0;
  while (at < bytes.size() && !client.closing) {
    const std::string_view rest = bytes.substr(at);
    if (client.skip > 0) {
      const std::size_t skipped = std::min(client.skip, rest.size());
      client.skip -= skipped;
      at += skipped;
      continue;
    }
    if (client.skip_line) {
      const std::size_t end = rest.find('\n');
      client.skip_line = end == rest.npos;
      at += client.skip_line ? rest.size() : end + 1;
      continue;
    }
    if (!has_room(client)) {
      client.stopped = true;
      break;
    }
    McRequest request;
    const McParsed parsed = parse_memcached(rest, pool_.limits.memcached, request);
    if (parsed.what == McParsed::What::more) {
      client.wanted = parsed.wanted;
      break;
    }
    counters_.requests += client.asked_keys == 0;
    if (parsed.what == McParsed::What::request && is_get(request.verb)) {
      if (!get_values(asked, request)) break;
      at += parsed.used;
      continue;
    }
    at += parsed.used;
    client.skip = parsed.skip;
    client.skip_line = parsed.skip_line;
    if (parsed.what == McParsed::What::refused) {
      ++counters_.errors;
      if (parsed.drops)
        refuse_value(asked, request, parsed.error);
      else if (!parsed.error.empty())
        answer_now(client, parsed.error);
    } else {
      route_memcached(asked, request);
    }
  }
  return at;
}

void Proxy::route_memcached(const Asked& asked, const McRequest& request) {
  Client& client = asked.client;
  switch (request.verb) {
    case McVerb::meta_get:
    case McVerb::meta_set:
    case McVerb::meta_delete:
    case McVerb::meta_arithmetic:
      return send_meta(asked, request);
    case McVerb::meta_noop:
      return answer_now(client, "MN\r\n");
    case McVerb::version:
      return answer_now(client, "VERSION 1.6.18\r\n");
    case McVerb::verbosity:
      if (!request.noreply) answer_now(client, verbosity(request.rest));
      return;
    case McVerb::stats:
      return answer_now(client, statistics(request.rest));
    case McVerb::flush_all:
      return flush_all(asked, request);
    case McVerb::quit:
      client.closing = true;
      return;
    case McVerb::other:
      ++counters_.errors;
      if (is_http(request.rest))
        client.closing = true;
      else
        answer_now(client, "ERROR\r\n");
      return;
    default:
      return send_line(asked, request);
  }
}

// Each key is a value of its own, from its own server. Where that knows meta commands, a get is one:
// memcached answers many of these in one send, and plain ones one by one. Not where items are marked as
// stale: the first meta get of such an item is told to renew it, and whoever says `get` would not hear that.
// False: there is room for some of them only, and the command is to be heard again when there is more.
bool Proxy::get_values(const Asked& asked, const McRequest& request) {
  const bool unique = request.verb == McVerb::gets || request.verb == McVerb::gats;
  const bool touches = request.verb == McVerb::gat || request.verb == McVerb::gats;
  const Asks does = asks(request);
  std::size_t& passed = asked.client.asked_keys;
  if (passed == 0) asked.client.begin_get();
  std::string_view keys = request.rest.substr(passed);
  for (std::string_view key = next_word(keys); !key.empty(); key = next_word(keys)) {
    if (passed > 0 && !has_room(asked.client)) {
      asked.client.stopped = true;
      return false;
    }
    passed = request.rest.size() - keys.size();
    const Target target = target_of(key, does.deed, asked.now);
    const bool meta = !touches && !marks_stale_ && target.server != nobody && servers_[target.server].meta;
    Slot& slot = add_slot(asked.client, Slot::Kind::value, 1);
    slot.unique = unique;
    if (meta) slot.bytes.assign(key);
    Part part;
    part.use = meta ? Use::meta_value : Use::value;
    part.reply = meta ? McReply::meta_get : does.reply;
    part.tag = mc_tag(key);
    part.read = part.pure = !touches;
    label(part, request.name, key);
    send(asked, target, asked.client.slots.end() - 1, part, [&](Buffer& out) {
      if (meta)
        append_meta_get(out, key, part.tag, unique);
      else if (touches)
        out.append(request.name, " ", capped_time(request.key, target, asked.now), " ", key, "\r\n");
      else
        out.append(unique ? "gets " : "get ", key, "\r\n");
    });
  }
  passed = 0;
  add_slot(asked.client, Slot::Kind::end, 0).bytes = "END\r\n";
  return true;
}

void Proxy::send_meta(const Asked& asked, const McRequest& request) {
  std::string& flags = scratch_;
  flags.clear();
  if (request.has('q'))
    append_unquiet(flags, request.rest);
  else
    flags.assign(request.rest);
  marks_stale_ |= request.has('I');
  Part part;
  part.use = request.has('q') ? Use::quiet : Use::whole;
  const Asks does = asks(request);
  part.reply = does.reply;
  part.read = request.verb == McVerb::meta_get;
  // With these it touches, or makes an item where there is none and tells one client to fill it.
  part.pure = part.read && !request.has('T') && !request.has('N') && !request.has('R');
  label(part, request.name, request.key);
  const Target target = target_of(McKey(request.key, request.has('b')).view(), does.deed, asked.now);
  if (target.elsewhere) cap_flags(request.verb, flags, asked.now);
  Slot& slot = add_slot(asked.client, Slot::Kind::whole, 1);
  if (is_miss(part)) slot.bytes = meta_miss(request);
  send(asked, target, asked.client.slots.end() - 1, part, [&](Buffer& out) {
    out.append(request.name, " ", request.key, std::string_view(flags), "\r\n", request.data);
  });
}

// A value that is too large is refused before a server sees it, which would have dropped the old one: nobody
// is to read what was to be replaced.
void Proxy::refuse_value(const Asked& asked, const McRequest& request, std::string_view error) {
  const McKey key(request.key, request.has('b'));
  const McDeletion deletion = mc_deletion(key.view());
  Part part;
  part.use = error.empty() ? Use::nothing : Use::dropped;
  part.reply = deletion.reply;
  label(part, request.name, request.key);
  const Target target = target_of(key.view(), Deed::remove, asked.now);
  if (!error.empty()) add_slot(asked.client, Slot::Kind::whole, 1).bytes.assign(error);
  send(asked, target, asked.client.slots.end() - 1, part, [&](Buffer& out) { out.append(deletion.command); });
}

// A server answers what a client does not want to hear: else an error would be taken for the next answer.
void Proxy::send_line(const Asked& asked, const McRequest& request) {
  Part part;
  part.use = request.noreply ? Use::nothing : Use::whole;
  const Asks does = asks(request);
  part.reply = does.reply;
  label(part, request.name, request.key);
  const bool debug = request.verb == McVerb::meta_debug;
  const Target target =
      target_of(debug ? McKey(request.key, request.has('b')).view() : request.key, does.deed, asked.now);
  const std::string_view rest = target.elsewhere ? capped_rest(request, asked.now) : request.rest;
  if (!request.noreply) add_slot(asked.client, Slot::Kind::whole, 1);
  send(asked, target, asked.client.slots.end() - 1, part,
       [&](Buffer& out) { out.append(request.name, " ", request.key, rest, "\r\n", request.data); });
}

void Proxy::flush_all(const Asked& asked, const McRequest& request) {
  if (!pool_.flush_all) {
    ++counters_.errors;
    if (!request.noreply) answer_now(asked.client, "CLIENT_ERROR flush_all is switched off in this pool\r\n");
    return;
  }
  Part part;
  part.use = request.noreply ? Use::nothing : Use::server_ok;
  part.reply = McReply::done;
  if (!request.noreply)
    add_slot(asked.client, Slot::Kind::whole, static_cast<std::uint32_t>(current_.size()));
  const std::uint64_t slot = asked.client.slots.end() - 1;
  for (const ServerId s : current_)
    send(asked, all_of(s), slot, part, [&](Buffer& out) { out.append("flush_all", request.rest, "\r\n"); });
}

std::string Proxy::statistics(std::string_view which) const {
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    out.append("STAT ").append(name).append(1, ' ').append(value).append("\r\n");
  };
  while (!which.empty() && which.front() == ' ') which.remove_prefix(1);
  if (std::string told = explained(which); !told.empty()) return told;
  if (which == "backends" || which == "servers") {
    for (const ServerId s : current_) {
      const Server& server = servers_[s];
      line(server.name + ":state", std::string(name_of(server.state)));
      line(server.name + ":waiting", std::to_string(server.parts.size()));
      line(server.name + ":usable", std::to_string(std::lround(server.standing->share() * 100)) + "%");
      if (!server.why.empty()) line(server.name + ":last_error", server.why);
    }
  } else if (which == "reset") {
    return "RESET\r\n";
  } else if (!which.empty() && which != "settings" && which != "items" && which != "slabs") {
    return "ERROR\r\n";
  } else if (which.empty()) {
    line("version", "1.6.18");
    line("curr_connections", std::to_string(client_count_));
    line("requests", std::to_string(counters_.requests));
    line("errors", std::to_string(counters_.errors));
    line("backend_requests", std::to_string(counters_.parts));
    line("backend_failures", std::to_string(counters_.failed_parts));
    line("backend_timeouts", std::to_string(counters_.timeouts));
    line("spilled", std::to_string(counters_.overload.spilled));
    line("waited", std::to_string(counters_.overload.waited));
    line("refused_busy", std::to_string(counters_.overload.refused));
    line("repeated", std::to_string(counters_.overload.repeated));
    line("shared", std::to_string(counters_.overload.shared));
    line("refused_connections", std::to_string(counters_.overload.clients_refused));
  }
  return out + "END\r\n";
}

}  // namespace arcwise::router
