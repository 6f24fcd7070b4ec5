// Redis's commands while the owner of their keys is away.
#include "router/proxy.hpp"

namespace arcwise::router {

Deed deed_of(const RedisCommand& command) noexcept {
  if (command.name == "del" || command.name == "unlink") return Deed::remove;
  return may_write(command) ? Deed::write : Deed::read;
}

// Keys that one node owns may have different next owners.
Target Proxy::target_of_all(const RedisCommand& command, const RedisWords& words, ServerId owner, Time now) {
  const bool here = owner == nobody || servers_[owner].standing->here();
  std::optional<Target> target;
  bool same = true;
  if (here && !pool_.overload.coalesce) return {owner};
  each_redis_key(command, words, [&](std::size_t i) {
    Target one = here ? Target{owner} : instead_of(words[i], owner, deed_of(command), now);
    one.mark = target ? all_marks : mark_of(words[i]);
    if (target) same &= target->goes_with(one);
    target = one;
  });
  if (!target) return here ? Target{owner} : refusal(owner);
  return same ? *target : refusal(owner, "it does not answer, and no single other server has all these keys");
}

// In one transaction with the command, its keys get a time to live, unless they have a shorter one: PEXPIRE's
// LT is Redis 7's; before, EXEC refuses all of it.
void Proxy::send_capped(const Asked& asked, const Target& target, const RedisCommand& command,
                        const RedisWords& words, std::string_view bytes) {
  const std::uint64_t slot = asked.client.slots.end() - 1;
  Part part;
  part.use = Use::wrapped;
  part.unheard = 2;
  each_redis_key(command, words, [&](std::size_t) { ++part.unheard; });
  const auto bulk = [](std::string_view text) {
    return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
  };
  send(asked, target, slot, part, [&](Buffer& out) {
    const std::string ttl = bulk(std::to_string(milliseconds(pool_.failing.longest_ttl).count()));
    out.append("*1\r\n$5\r\nMULTI\r\n");
    append_command(out, asked.client.request, bytes);
    each_redis_key(command, words, [&](std::size_t i) {
      out.append("*4\r\n$7\r\nPEXPIRE\r\n", bulk(words[i]), ttl, "$2\r\nLT\r\n");
    });
    out.append("*1\r\n$4\r\nEXEC\r\n");
  });
}

}  // namespace arcwise::router
