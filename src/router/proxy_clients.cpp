// Clients: what they say is taken up, and what they are answered goes out in the order in which they asked.
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

constexpr milliseconds rested{10'000};

}  // namespace

Proxy::ClientId Proxy::add_client() {
  if (free_clients_.empty()) {
    free_clients_.push_back(static_cast<ClientId>(clients_.size()));
    clients_.emplace_back();
  }
  const ClientId id = free_clients_.back();
  free_clients_.pop_back();
  clients_[id].used = true;
  ++client_count_;
  return id;
}

// Its parts stay on the servers' queues; their generation tells that nobody waits for them.
void Proxy::drop_client(ClientId id) {
  Client& client = clients_[id];
  if (!client.used) return;
  if (client.lane != nobody) release_lane(client, false);
  take_transaction(client);
  const std::uint32_t generation = client.generation + 1;
  client = Client{};
  client.generation = generation;
  --client_count_;
  dropped_.push_back(id);
}

void Proxy::hang_up(ClientId id, Time now) {
  serve(id, now);
  clients_[id].closing = true;
  clients_to_send_.add(clients_, id);
}

bool Proxy::wants_bytes(ClientId id) const noexcept {
  const Client& client = clients_[id];
  return client.used && !client.closing && !client.stopped;
}

bool Proxy::has_more_to_hear(ClientId id) const noexcept {
  constexpr std::size_t little = 4096;
  return !clients_[id].slots.empty() && clients_[id].out.size() < little;
}

bool Proxy::finished(ClientId id) const noexcept {
  const Client& client = clients_[id];
  return client.closing && client.slots.empty();
}

// What a client has needed it may need again at once, and not for ever: 1,000 answers that waited for one
// have each their memory.
void Proxy::let_clients_rest(Time now) {
  if (now < rest_at_) return;
  rest_at_ = Time::max();
  for (ClientId id = 0; id < clients_.size(); ++id) {
    Client& client = clients_[id];
    if (!client.used || client.rests()) continue;
    if (idle(id) && now - client.served >= rested)
      client.rest();
    else
      rest_at_ = now + rested;
  }
}

std::unique_ptr<Transaction> Proxy::take_transaction(Client& client) noexcept {
  if (client.transaction) queued_ -= client.transaction->commands.size();
  return std::move(client.transaction);
}

void Proxy::serve(ClientId id, Time now) {
  clients_[id].served = now;
  if (rest_at_ == Time::max()) rest_at_ = now + rested;
  Client& client = clients_[id];
  client.stopped = false;
  while (!client.closing && client.in.size() >= std::max<std::size_t>(client.wanted, 1)) {
    client.wanted = 0;
    const Asked asked{id, client, now};
    const std::string_view bytes = client.in.view();
    const std::size_t used =
        pool_.protocol == Protocol::redis ? serve_redis(asked, bytes) : serve_memcached(asked, bytes);
    client.in.consume(used);
    if (client.stopped || used == 0) break;
  }
  if (client.stopped && !std::exchange(client.resumes, true)) stopped_.push_back(id);
  emit(client, id);
}

Slot& Proxy::add_slot(Client& client, Slot::Kind kind, std::uint32_t waits) {
  Slot& slot = client.slots.push();
  slot.kind = kind;
  slot.failed = slot.unique = false;
  slot.waits = waits;
  slot.elements = 0;
  slot.total = 0;
  slot.kept = 0;
  slot.bytes.clear();
  return slot;
}

void Proxy::answer_now(Client& client, std::string_view text) {
  if (client.slots.empty()) {
    client.out.append(text);
    return;
  }
  Slot& slot = add_slot(client, Slot::Kind::whole, 0);
  slot.bytes.assign(text);
  client.keep(slot);
}

void Proxy::emit_front(Client& client) {
  Slot& slot = client.slots.front();
  if (slot.kind == Slot::Kind::value && slot.failed) {
    client.failure = slot.bytes;
  } else if (slot.kind == Slot::Kind::end && !client.failure.empty()) {
    client.out.append(client.failure);
    client.failure.clear();
    ++counters_.errors;
  } else {
    client.out.append(slot.bytes);
  }
  const std::uint32_t elements = slot.failed ? slot.elements : 0;
  // An array that is an error now has no elements.
  for (std::uint32_t i = 0; i <= elements; ++i) {
    client.forget(client.slots.front());
    client.slots.pop();
  }
}

void Proxy::emit(Client& client, ClientId id) {
  while (!client.slots.empty() && client.slots.front().waits == 0) emit_front(client);
  if (!client.out.empty() || finished(id)) clients_to_send_.add(clients_, id);
}

}  // namespace arcwise::router
