// What a router keeps of each client: what it has said, what it is to be answered, and its session.
//
// Layer: router. Plain state; proxy_clients.cpp moves it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "router/buffer.hpp"
#include "router/part.hpp"
#include "router/pool.hpp"
#include "router/redis_session.hpp"
#include "router/resp.hpp"
#include "router/ring_queue.hpp"

namespace arcwise::router {

/// What a client has queued since MULTI, all for one server.
struct Transaction {
  std::string commands;
  std::uint32_t count = 0;
  std::uint32_t server = nobody;
  std::uint32_t maps = 0;  ///< adopted by the proxy when it was last looked whose its keys are
  bool broken = false;     ///< a command was refused: EXEC aborts
  bool parted = false;     ///< for by a new map its keys are on several nodes
};

struct Client {
  Buffer in, out;
  RingQueue<Slot> slots;
  RespRequest request;
  std::unique_ptr<Transaction> transaction;
  std::uint32_t generation = 0;
  std::size_t wanted = 0;  ///< bytes before which parsing again is of no use
  std::size_t skip = 0;
  std::size_t asked_keys = 0;  ///< of a get at hand, bytes with the keys that are asked already
  std::size_t window = 0;      ///< of its keys, so many may be asked before more is known
  bool has_values = false;     ///< it has got some, and may be given more at once
  Time served{};               ///< when it was heard last
  std::size_t kept = 0;        ///< bytes of answers that wait in slots
  std::size_t usual = 0;       ///< bytes that an answer is likely to have
  bool used = false, closing = false, skip_line = false, listed = false;
  bool stopped = false;       ///< for want of room
  bool resumes = false;       ///< it is listed among those that go on when there is room
  ServerId held_by = nobody;  ///< a crowded server that it has sent something
  std::string failure;        ///< of a value before its end
  // Redis
  RedisSession session;
  bool alone = false;       ///< the next command waits until all before it is answered
  bool own_lanes = false;   ///< it does not speak through the servers' first connections
  bool watch_lost = false;  ///< with its connection, or its owner: EXEC does nothing
  ServerId lane = nobody;   ///< the connection on which it watches

  /// Few of the keys of one get before it is seen how long their values are; more with each that comes.
  void begin_get() noexcept { window = has_values ? 64 : 16; }
  void see_value() noexcept {
    has_values = true;
    ++window;
  }
  std::size_t most_waiting() const noexcept {
    if (alone) return 1;
    return asked_keys > 0 ? window : ~std::size_t{0};
  }
  /// It has said nothing for a while, and waits for nothing: its memory is for others.
  void rest() noexcept {
    slots.release();
    in.release();
    out.release();
    request = {};
  }
  bool rests() const noexcept { return slots.capacity() + in.capacity() + out.capacity() == 0; }
  /// A slot has more of its answer, or is gone.
  void keep(Slot& slot) noexcept {
    kept += slot.bytes.size() - slot.kept;
    slot.kept = slot.bytes.size();
  }
  void forget(Slot& slot) noexcept {
    constexpr std::size_t for_the_next = 4096;
    kept -= slot.kept;
    if (slot.bytes.capacity() > for_the_next) std::string().swap(slot.bytes);
  }
};

}  // namespace arcwise::router
