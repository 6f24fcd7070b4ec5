#include "router/standing.hpp"

#include <algorithm>

#include "hash/xxh.hpp"

namespace arcwise::router {

void Fence::add(std::string_view key, std::size_t most) {
  if (all_) return;
  keys_.emplace(key);
  if (keys_.size() > most) add_all();
}

void Fence::add_all() noexcept {
  keys_.clear();
  all_ = true;
}

std::vector<std::string> Fence::take() {
  std::vector<std::string> out(keys_.begin(), keys_.end());
  std::sort(out.begin(), out.end());
  keys_.clear();
  all_ = false;
  return out;
}

// Not by the bits that place keys on rings: keys of one arc must not come back together.
std::uint16_t Standing::place(std::string_view routing_key) noexcept {
  return static_cast<std::uint16_t>(xxh3_64(routing_key));
}

double Standing::share() const noexcept {
  const std::uint64_t word = word_.load(std::memory_order_relaxed);
  if (word == 0) return 1;
  return word & owed_bits ? 0 : static_cast<double>(word >> share_shift) / static_cast<double>(whole);
}

void Standing::set_away(std::uint64_t share) noexcept {
  std::uint64_t word = word_.load();
  while (!word_.compare_exchange_weak(word, (word & owed_bits) | away_bit | share << share_shift)) {
  }
}

// The return is begun anew, by anybody, and another server may have the turn meanwhile; not while this one
// has some of its keys already.
void Standing::give_back_task() noexcept {
  if (flushing_) fence_.add_all();
  for (const std::string& key : removing_) fence_.add(key, ~std::size_t{0});
  removing_.clear();
  flushing_ = sealed_ = false;
  rounds_ = 0;
  leader_ = nullptr;
  if (word_.load() >> share_shift == 0) others_.end_turn(this);
}

bool Standing::leave(Time now) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t word = word_.load();
  if (word & away_bit && word >> share_shift == 0) return false;
  left_ = now.count();
  next_step_ = Time{};
  lose_keys();
  return true;
}

// What was written elsewhere may be there still when its keys, which it has had since, are asked for next.
void Standing::lose_keys() noexcept {
  barred_ = elsewhere_until_.count();
  flushed_ = false;
  set_away(0);
  give_back_task();
}

void Standing::owe() {
  const std::lock_guard lock(mutex_);
  word_.fetch_add(owed_one);
  give_back_task();
}

Standing::Record Standing::record(std::string_view key, std::uint16_t place, const Failing& failing,
                                  Time until) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t word = word_.load();
  if (!(word & away_bit) || place < word >> share_shift) return Record::back;
  if (sealed_) return Record::returning;
  if (failing.on_return == OnReturn::fence) fence_.add(key, failing.fence_keys);
  elsewhere_until_ = std::max(elsewhere_until_, until);
  return Record::done;
}

void Standing::record_removal(std::string_view key, const Failing& failing, Time now) {
  if (failing.on_return != OnReturn::fence) return;
  const std::lock_guard lock(mutex_);
  if (sealed_) return;
  fence_.add(key, failing.fence_keys);
  if (word_.load() & away_bit) return;
  left_ = now.count();
  next_step_ = Time{};
  set_away(0);
}

void Standing::written_late(Time sent, Time until) {
  const std::lock_guard lock(mutex_);
  if (elsewhere_until_ <= sent) return;
  elsewhere_until_ = std::max(elsewhere_until_, until);
  // In the absence that it was written in it is the newest, or has been dropped with what was written since.
  if (away() && left() > sent) barred_ = std::max(barred_.load(), until.count());
}

std::optional<Standing::Task> Standing::begin_return(const void* who, const Failing& failing, Time now) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t word = word_.load();
  if (!(word & away_bit) || (word & owed_bits) || leader_ || now < next_step_) return std::nullopt;
  if (!others_.take_turn(this)) return std::nullopt;
  leader_ = who;
  return make_task(failing);
}

Standing::Task Standing::next_task(const Failing& failing) {
  const std::lock_guard lock(mutex_);
  return make_task(failing);
}

Standing::Task Standing::make_task(const Failing& failing) {
  sealed_ = ++rounds_ >= open_rounds;
  Task task;
  if (failing.on_return == OnReturn::keep) return task;
  task.flush = fence_.all() || (failing.on_return == OnReturn::flush && !flushed_);
  task.remove = fence_.take();
  removing_ = task.remove;
  flushing_ = task.flush;
  return task;
}

Standing::Progress Standing::fulfilled(const void* who, const Failing& failing, Time now) {
  const std::lock_guard lock(mutex_);
  if (leader_ != who) return Progress::lost;
  flushed_ |= flushing_;
  flushing_ = false;
  removing_.clear();
  if (!fence_.empty() && failing.on_return != OnReturn::keep) return Progress::again;
  rounds_ = 0;
  sealed_ = false;
  leader_ = nullptr;
  const std::uint64_t step = failing.ramp.count() > 0 ? whole / steps : whole;
  const std::uint64_t share = (word_.load() >> share_shift) + step;
  if (share < whole) {
    next_step_ = now + Time(failing.ramp) / steps;
    set_away(share);
    return Progress::part;
  }
  word_.fetch_and(owed_bits);
  ++returns_;
  others_.end_turn(this);
  return Progress::here;
}

void Standing::abandoned(const void* who) {
  const std::lock_guard lock(mutex_);
  if (leader_ == who) give_back_task();
}

void Standing::withdraw() {
  const std::lock_guard lock(mutex_);
  if (word_.load() & away_bit) lose_keys();
}

bool Standing::count_failure(unsigned limit, Time until) noexcept {
  if (++failures_ < limit) return false;
  failures_ = 0;
  ejected_until_ = until.count();
  ++others_.ejections_;
  return true;
}

std::shared_ptr<Standings> make_standings() {
  return std::make_shared<Standings>();
}

Standing& Standings::of(const std::string& address) {
  const std::lock_guard lock(mutex_);
  auto& standing = all_[address];
  if (!standing) standing = std::make_unique<Standing>(*this);
  return *standing;
}

void Standings::written_late(Time sent, Time until) {
  const std::lock_guard lock(mutex_);
  for (auto& [address, standing] : all_) standing->written_late(sent, until);
}

bool Standings::take_turn(const Standing* standing) noexcept {
  const Standing* nobody = nullptr;
  return turn_.compare_exchange_strong(nobody, standing) || nobody == standing;
}

void Standings::end_turn(const Standing* standing) noexcept {
  const Standing* expected = standing;
  turn_.compare_exchange_strong(expected, nullptr);
}

std::vector<NodeIndex> Standings::failed(const Placement& placement, NodeIndex node, const Failing& settings,
                                         Time now) {
  const std::lock_guard lock(mutex_);
  return cascade_.failed(placement, node, settings, now);
}

void Standings::forget_failures() {
  const std::lock_guard lock(mutex_);
  cascade_.forget();
}

}  // namespace arcwise::router
