// How a server stands: what the loops of one process must know alike before any of them may use it.
//
// Each loop has connections of its own, and a value that one of them has written elsewhere must not be read
// from the old place by another. So an absence is the server's, not a connection's: whoever notices it says
// so here before it writes anything elsewhere, and the server is used again by all or by none, when what was
// written elsewhere has been dropped on it.
//
//     here ──leave()──▶ away ──begin_return()──▶ returning ──fulfilled()──▶ a part of its keys ──…──▶ here
//
// Worked example, `fence`: a is written elsewhere while its server is away: record("a"). The server answers
// one loop's probe; that loop begins the return, is told to delete a there, and b, written elsewhere by
// another loop meanwhile, in a second round. Then nothing is left, and it is here: one atomic word says so to
// everybody.
//
// Layer: router. Pure but for its lock: time and what happens come in, what is to be done goes out.
// Thread-safe. Whoever uses a server that is here reads one word; the lock is for absences alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "router/cascade.hpp"
#include "router/pool.hpp"

namespace arcwise::router {

/// Keys to be dropped on a server before it is used again; so many, and then all it has.
class Fence {
 public:
  void add(std::string_view key, std::size_t most);
  void add_all() noexcept;
  bool empty() const noexcept { return keys_.empty() && !all_; }
  bool all() const noexcept { return all_; }
  std::vector<std::string> take();

 private:
  std::unordered_set<std::string> keys_;
  bool all_ = false;
};

class Standings;

class Standing {
 public:
  explicit Standing(Standings& others) : others_(others) {}

  /// Anybody may use it for any key.
  bool here() const noexcept { return word_.load(std::memory_order_acquire) == 0; }
  bool away() const noexcept { return word_.load(std::memory_order_acquire) & away_bit; }
  /// Whether it may be used for a key: some are given back to it before others, by their place().
  bool serves(std::uint16_t place) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    return word == 0 || ((word & (owed_bits | away_bit)) == away_bit && place < word >> share_shift);
  }
  /// Of its keys, the part (0…1) that it may be used for.
  double share() const noexcept;
  /// Where a key stands among those of a server that are given back one after the other.
  static std::uint16_t place(std::string_view routing_key) noexcept;

  /// A connection to it owes answers that were given up; and has given them, or ended. What was dropped on
  /// the server before may be written by what is owed: a return begins anew.
  void owe();
  void pay() noexcept { word_.fetch_sub(owed_one); }

  /// It does not answer. True: nobody had said so before.
  bool leave(Time now);
  /// When it was last said to be away: what it has answered before is no sign of its return.
  Time left() const noexcept { return Time(left_.load(std::memory_order_relaxed)); }
  /// Copies of its keys may be left elsewhere from an earlier absence: nobody may be asked instead.
  bool barred(Time now) const noexcept { return now.count() < barred_.load(std::memory_order_relaxed); }
  /// How often it was here again.
  std::uint32_t returns() const noexcept { return returns_.load(std::memory_order_relaxed); }

  enum class Record : std::uint8_t {
    done,       ///< write it elsewhere
    returning,  ///< too late for this absence: write it nowhere
    back        ///< the server may be used again
  };
  /// A key is about to be written elsewhere, and what is written may be there for so long.
  Record record(std::string_view key, std::uint16_t place, const Failing& failing, Time until);
  /// A key was to be deleted and could not be: it is done later.
  void record_removal(std::string_view key, const Failing& failing, Time now);
  /// Something written elsewhere for it long ago may have been done only now.
  void written_late(Time sent, Time until);

  /// What is to be done on the server, and answered by it, before the return goes on.
  struct Task {
    bool flush = false;
    std::vector<std::string> remove;
  };
  /// `who`, whose connection the server answers, leads its return from now on. Nothing: it is not its time,
  /// or another leads, or another server returns.
  std::optional<Task> begin_return(const void* who, const Failing& failing, Time now);
  enum class Progress : std::uint8_t {
    lost,   ///< this return is over: it is away again
    again,  ///< more was written elsewhere meanwhile: next_task()
    part,   ///< some of its keys are its own again; go on later
    here    ///< all are
  };
  Progress fulfilled(const void* who, const Failing& failing, Time now);
  Task next_task(const Failing& failing);
  /// The leader cannot go on.
  void abandoned(const void* who);
  /// It is no server of the pool's any more: others may return.
  void withdraw();

  // Twemproxy's ejection
  /// Another failure in a row. True: it is ejected now, until `until`.
  bool count_failure(unsigned limit, Time until) noexcept;
  void count_success() noexcept {
    if (failures_.load(std::memory_order_relaxed)) failures_ = 0;
  }
  Time ejected_until() const noexcept { return Time(ejected_until_.load(std::memory_order_relaxed)); }

 private:
  // Bit 0: away. Bits 8 to 31: connections that owe. Bits 32 on: of 65536 places, how many are served.
  static constexpr std::uint64_t away_bit = 1, owed_one = 1 << 8, owed_bits = 0xffff'ff00;
  static constexpr unsigned share_shift = 32, steps = 16;
  static constexpr std::uint64_t whole = 65536;
  static constexpr unsigned open_rounds = 3;  ///< of one step, in which writes elsewhere are still taken

  void set_away(std::uint64_t share) noexcept;
  void lose_keys() noexcept;
  void give_back_task() noexcept;
  Task make_task(const Failing& failing);

  alignas(64) std::atomic<std::uint64_t> word_{0};
  alignas(64) std::atomic<std::int64_t> left_{0}, barred_{0};
  std::atomic<std::uint32_t> returns_{0}, failures_{0};
  std::atomic<std::int64_t> ejected_until_{0};
  Standings& others_;
  std::mutex mutex_;
  Fence fence_;
  std::vector<std::string> removing_;  ///< of the task under way
  bool flushing_ = false, flushed_ = false, sealed_ = false;
  unsigned rounds_ = 0;
  const void* leader_ = nullptr;
  Time next_step_{}, elsewhere_until_{};
};

/// The standings of a pool's servers, by address, shared by its loops and by one map and the next.
class Standings {
 public:
  Standing& of(const std::string& address);
  void written_late(Time sent, Time until);
  /// One server returns at a time.
  bool take_turn(const Standing* standing) noexcept;
  void end_turn(const Standing* standing) noexcept;
  /// The chain of a cascade that ends with this node's failure; empty: none.
  std::vector<NodeIndex> failed(const Placement& placement, NodeIndex node, const Failing& settings,
                                Time now);
  /// Nodes have other numbers now.
  void forget_failures();
  /// How often a server was ejected.
  std::uint32_t ejections() const noexcept { return ejections_.load(std::memory_order_relaxed); }

 private:
  friend class Standing;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Standing>> all_;
  std::atomic<const Standing*> turn_{nullptr};
  std::atomic<std::uint32_t> ejections_{0};
  Cascade cascade_;
};

}  // namespace arcwise::router
