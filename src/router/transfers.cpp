#include "router/transfers.hpp"

#include <liburing.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace arcwise::router {
namespace {

constexpr std::size_t at_once = 256;
constexpr int pending = 1 << 30;  // no number of bytes, and no errno

// What a call said: bytes, or a negative errno.
void finish_receive(Transfer& t, int said) noexcept {
  if (said > 0) t.buffer->commit(static_cast<std::size_t>(said));
  // What is interrupted or not there is told again.
  if (said > 0 || said == -EAGAIN || said == -EINTR) return;
  t.moved = Moved::closed;
  t.error = -said;
}

int receive_piece(Transfer& t) {
  const ssize_t got = ::recv(t.fd, t.buffer->space(piece), piece, MSG_DONTWAIT);
  const int said = got < 0 ? -errno : static_cast<int>(got);
  finish_receive(t, said);
  return said;
}

// A piece that fills its room has more behind it.
void receive_rest(Transfer& t, int said) {
  for (std::size_t all = piece; said == static_cast<int>(piece) && all < t.most; all += piece)
    said = receive_piece(t);
}

void receive_alone(Transfer& t) {
  receive_rest(t, receive_piece(t));
}

void finish_whole_receive(Transfer& t, int said) {
  finish_receive(t, said);
  receive_rest(t, said);
}

void send_alone(Transfer& t) {
  while (!t.buffer->empty()) {
    const ssize_t sent = ::send(t.fd, t.buffer->view().data(), t.buffer->size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      t.moved = errno == EAGAIN ? Moved::some : Moved::closed;
      t.error = errno == EAGAIN ? 0 : errno;
      return;
    }
    t.buffer->consume(static_cast<std::size_t>(sent));
  }
}

// A send that was cut short goes on alone, until the socket takes no more.
void finish_send(Transfer& t, int said) {
  if (said > 0) t.buffer->consume(static_cast<std::size_t>(said));
  if (said >= 0 || said == -EINTR) return send_alone(t);
  t.moved = said == -EAGAIN ? Moved::some : Moved::closed;
  t.error = said == -EAGAIN ? 0 : -said;
}

}  // namespace

struct Transfers::Ring {
  io_uring ring{};
  std::array<int, at_once> said;

  static std::unique_ptr<Ring> open() {
    auto made = std::make_unique<Ring>();
    // Kernels before 6.1 do not know these; the plain kind does as well, at a little more cost.
    for (const unsigned flags : {unsigned{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN}, 0u})
      if (io_uring_queue_init(at_once, &made->ring, flags) == 0) {
        made->made_ = true;
        return made;
      }
    return nullptr;
  }
  ~Ring() {
    if (made_) io_uring_queue_exit(&ring);
  }

 private:
  bool made_ = false;
};

Transfers::Transfers() = default;
Transfers::~Transfers() = default;

void Transfers::open(Io io) {
  ring_ = io == Io::epoll ? nullptr : Ring::open();
}

std::span<const Transfer> Transfers::run() {
  done_.clear();
  done_.swap(asked_);
  for (std::size_t from = 0; from < done_.size(); from += at_once)
    run_some(std::span(done_).subspan(from, std::min(at_once, done_.size() - from)));
  return done_;
}

// One alone is a call either way, and the plain one costs less.
void Transfers::run_some(std::span<Transfer> some) {
  if (ring_ && some.size() > 1) return run_by_ring(some);
  for (Transfer& t : some) t.sends ? send_alone(t) : receive_alone(t);
}

// None waits for its socket (MSG_DONTWAIT), so that all are over when the call returns.
void Transfers::run_by_ring(std::span<Transfer> some) {
  std::array<int, at_once>& said = ring_->said;
  std::size_t under_way = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const Transfer& t = some[i];
    said[i] = t.sends && t.buffer->empty() ? 0 : pending;
    if (said[i] == 0) continue;
    io_uring_sqe* call = io_uring_get_sqe(&ring_->ring);
    if (t.sends)
      io_uring_prep_send(call, t.fd, t.buffer->view().data(), t.buffer->size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    else
      io_uring_prep_recv(call, t.fd, t.buffer->space(piece), piece, MSG_DONTWAIT);
    io_uring_sqe_set_data64(call, i);
    ++under_way;
  }
  const auto reap = [&] {
    io_uring_cqe* cqe = nullptr;
    unsigned head = 0, seen = 0;
    io_uring_for_each_cqe(&ring_->ring, head, cqe) {
      said[cqe->user_data] = cqe->res;
      ++seen;
    }
    io_uring_cq_advance(&ring_->ring, seen);
    under_way -= seen;
    return seen > 0;
  };
  int result = 0;
  while (under_way > 0) {
    result = io_uring_submit_and_wait(&ring_->ring, static_cast<unsigned>(under_way));
    if (!reap() && result < 0 && result != -EINTR) break;
  }
  // It failed and got nothing done. What the kernel has taken is waited for: made anew, bytes would go twice.
  while (under_way > io_uring_sq_ready(&ring_->ring)) {
    io_uring_cqe* one = nullptr;
    if (const int waited = io_uring_wait_cqe(&ring_->ring, &one); waited < 0 && waited != -EINTR) break;
    reap();
  }
  for (std::size_t i = 0; i < some.size(); ++i) {
    Transfer& t = some[i];
    if (said[i] == pending)
      t.sends ? send_alone(t) : receive_alone(t);
    else
      t.sends ? finish_send(t, said[i]) : finish_whole_receive(t, said[i]);
  }
  // The kernel takes no more calls by this way; those that it did not take have just been made by the plain
  // one.
  if (under_way > 0) ring_.reset();
}

Transfer receive_now(int fd, Buffer& into, std::size_t most) {
  Transfer t{0, fd, false, &into, Moved::some, 0, most};
  receive_alone(t);
  return t;
}

Transfer send_now(int fd, Buffer& from) {
  Transfer t{0, fd, true, &from, Moved::all, 0, 0};
  send_alone(t);
  return t;
}

}  // namespace arcwise::router
