#include "router/lookout.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "router/ask.hpp"
#include "router/known_hosts.hpp"
#include "router/resp.hpp"
#include "router/view_json.hpp"

namespace arcwise::router {
namespace {

constexpr std::chrono::milliseconds between_looks{1000}, patience{700};
constexpr unsigned looks_between_questions = 3;
constexpr unsigned differs_for_good = 2;  // questions: maps do not reach all routers in the same moment

std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == text.npos) return std::nullopt;
  std::uint64_t value = 0;
  const char* begin = text.data() + at + name.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error == std::errc() && end != begin ? std::optional(value) : std::nullopt;
}

bool whole_stats(std::string_view answer) {
  return answer.ends_with("END\r\n") || answer.starts_with("ERROR") || answer.starts_with("CLIENT_ERROR") ||
         answer.starts_with("SERVER_ERROR");
}

bool has_replies(std::string_view answer, unsigned count) {
  for (; count > 0; --count) {
    const auto found = RespScanner().scan(answer);
    if (found.size == 0) return found.broken;
    answer.remove_prefix(found.size);
  }
  return true;
}

std::string command(std::initializer_list<std::string_view> words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words)
    out.append("$" + std::to_string(word.size()) + "\r\n").append(word).append("\r\n");
  return out;
}

Question about(const Pool& pool, const std::string& address) {
  if (pool.protocol == Protocol::memcached) return {address, "stats\r\n", whole_stats};
  std::string bytes;
  unsigned replies = 2;
  const auto say = [&](std::initializer_list<std::string_view> words) {
    bytes += command(words);
    ++replies;
  };
  if (!pool.password.empty()) say({"AUTH", pool.password});
  if (pool.database != 0) say({"SELECT", std::to_string(pool.database)});
  bytes += command({"INFO", "memory"}) + command({"DBSIZE"});
  return {address, bytes, [replies](std::string_view answer) { return has_replies(answer, replies); }};
}

std::string shown(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

Measured read_measured(Protocol protocol, std::string_view answer) {
  Measured out;
  if (protocol == Protocol::memcached) {
    out.bytes = number_behind(answer, "STAT bytes ");
    out.items = number_behind(answer, "STAT curr_items ");
    out.limit_bytes = number_behind(answer, "STAT limit_maxbytes ");
  } else {
    out.bytes = number_behind(answer, "\nused_memory:");
    out.limit_bytes = number_behind(answer, "\nmaxmemory:");
    if (out.limit_bytes == 0) out.limit_bytes.reset();  // none
    const std::size_t last = answer.rfind("\r\n:");
    if (last != answer.npos) out.items = number_behind(answer.substr(last), "\r\n:");
  }
  if (!out.bytes) out.why = "its answer says nothing of bytes: " + std::string(answer.substr(0, 60));
  return out;
}

Lookout::Lookout(const Reload& reload, const Board& board, Journal& journal, std::vector<std::string> peers)
    : reload_(reload), board_(board), journal_(journal), started_(system_clock::now()) {
  known_hosts().keep("peers", peers);
  for (std::string& address : peers) peers_.emplace_back().seen.address = std::move(address);
}

Lookout::~Lookout() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Lookout::start() {
  thread_ = std::thread([this] { run(); });
}

std::shared_ptr<const View> Lookout::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

void Lookout::run() {
  for (unsigned looks = 0;; ++looks) {
    if (looks % looks_between_questions == 0) {
      measure(reload_.serving());
      ask_peers();
    }
    look();
    std::unique_lock lock(mutex_);
    if (ending_.wait_for(lock, between_looks, [this] { return stop_; })) return;
  }
}

std::shared_ptr<const Ownership> Lookout::ownership_of(const std::shared_ptr<const Serving>& serving) {
  std::shared_ptr<const Ownership>& found = ownerships_[serving];
  if (!found) found = std::make_shared<const Ownership>(ownership(serving->pool.placement));
  return found;
}

void Lookout::look() {
  window_.add(steady_clock::now(), board_.read());
  auto view = std::make_shared<View>();
  view->started = started_;
  view->at = system_clock::now();
  const auto pools = reload_.serving();
  for (const auto& serving : pools)
    view->pools.push_back(view_of(serving, ownership_of(serving), window_, measured_));
  std::erase_if(ownerships_, [&](const auto& one) {
    return std::find(pools.begin(), pools.end(), one.first) == pools.end();
  });
  compare(*view);
  const std::lock_guard lock(mutex_);
  view_ = std::move(view);
}

void Lookout::measure(const std::vector<std::shared_ptr<const Serving>>& pools) {
  std::vector<Question> questions;
  std::vector<Protocol> protocols;
  std::set<std::string> asked;
  for (const auto& serving : pools)
    for (const std::string& address : serving->pool.addresses)
      if (asked.insert(address).second) {
        questions.push_back(about(serving->pool, address));
        protocols.push_back(serving->pool.protocol);
      }
  const std::vector<Reply> replies = ask_all(questions, patience);
  measured_.clear();
  for (std::size_t i = 0; i < replies.size(); ++i) {
    Measured& to = measured_[questions[i].address];
    if (replies[i].why.empty())
      to = read_measured(protocols[i], replies[i].bytes);
    else
      to.why = replies[i].why;
  }
}

void Lookout::ask_peers() {
  std::vector<Question> questions;
  for (const Peer& peer : peers_)  // HTTP/1.0: the answer ends where the connection does
    questions.push_back(
        {peer.seen.address, "GET /api/v1/fingerprints HTTP/1.0\r\nHost: localhost\r\n\r\n", {}});
  const std::vector<Reply> replies = ask_all(questions, patience);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    PeerView& seen = peers_[i].seen;
    seen.why = replies[i].why;
    seen.maps.clear();
    if (!seen.why.empty()) continue;
    const std::size_t body = replies[i].bytes.find("\r\n\r\n");
    auto maps =
        body == std::string::npos ? std::nullopt : read_fingerprints(replies[i].bytes.substr(body + 4));
    if (maps)
      seen.maps = std::move(*maps);
    else
      seen.why = "it answers, but not as a router does";
  }
  fresh_ = true;
}

void Lookout::compare(View& view) {
  for (Peer& peer : peers_) {
    peer.seen.differing = differing(view.pools, peer.seen.maps);
    const bool differs = !peer.seen.differing.empty();
    if (fresh_ && peer.seen.why.empty()) peer.differed = differs ? peer.differed + 1 : 0;
    const std::string pools = shown(peer.seen.differing);
    if (peer.differed >= differs_for_good && !peer.alarmed) {
      journal_.add({0,
                    {},
                    Severity::alarm,
                    "routers_differ",
                    pools,
                    {},
                    "the router at " + peer.seen.address + " serves another map: keys are in two places"});
      peer.alarmed = true;
    } else if (peer.alarmed && fresh_ && peer.seen.why.empty() && !differs) {
      journal_.add({0,
                    {},
                    Severity::note,
                    "routers_agree",
                    {},
                    {},
                    "the router at " + peer.seen.address + " serves the same maps again"});
      peer.alarmed = false;
    }
    view.peers.push_back(peer.seen);
  }
  fresh_ = false;
}

}  // namespace arcwise::router
