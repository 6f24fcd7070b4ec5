// Clients that wait for room: for their answers, or with a server that takes less than it is sent.
#include "router/proxy.hpp"

namespace arcwise::router {

constexpr std::size_t crowd = 8;  // times what one client may leave unsent

// The client goes on when the server has taken what it was sent. False: even one request more is too many,
// for each of many clients may come with one.
bool Proxy::hold_back(Client& client, ServerId s) {
  client.held_by = s;
  return servers_[s].out.size() + servers_[s].held.bytes() <= crowd * pool_.limits.unsent;
}

// Room may appear without a byte for the client: by answers that it does not want to hear, or by a server
// that takes what was held back.
void Proxy::resume_clients() {
  std::erase_if(stopped_, [&](ClientId id) {
    Client& client = clients_[id];
    if (!client.resumes || !client.stopped) return client.resumes = false, true;
    if (!has_room(client)) return false;
    clients_to_send_.add(clients_, id);
    return client.resumes = false, true;
  });
}

}  // namespace arcwise::router
