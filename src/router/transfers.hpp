// Bytes moved between sockets and buffers, of many sockets at once: a tick's receiving, then its sending.
// Where io_uring is allowed that is one call into the kernel, else one for each socket.
//
// Every transfer is over when run() returns. The kernel holds no buffer while proxies work, so that a client
// can be dropped, and a buffer grow, at any time; and what is left for epoll is to tell which sockets are
// ready.
//
// Layer: router. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "router/buffer.hpp"

namespace arcwise::router {

/// Who moves the bytes of sockets that epoll tells of.
enum class Io : std::uint8_t {
  io_uring,  ///< a ring where the system allows one, else as below
  epoll      ///< a call each
};

/// What became of a buffer's bytes, or of those a socket had.
enum class Moved : std::uint8_t { all, some, closed };

struct Transfer {
  std::uint64_t what;  ///< as the caller numbers them
  int fd;
  bool sends;
  Buffer* buffer;
  Moved moved;
  int error;         ///< errno, where it is closed by a failure
  std::size_t most;  ///< received while there is more: whole pieces of `piece`
};

/// What is received at once.
inline constexpr std::size_t piece = std::size_t{64} << 10;

class Transfers {
 public:
  Transfers();
  ~Transfers();
  /// By the thread that is to use it. Without a ring, or where none can be had, calls are made one by one.
  void open(Io io);

  void receive(int fd, Buffer& into, std::uint64_t what, std::size_t most = piece) {
    asked_.push_back({what, fd, false, &into, Moved::some, 0, most});
  }
  void send(int fd, Buffer& from, std::uint64_t what) {
    asked_.push_back({what, fd, true, &from, Moved::all, 0, 0});
  }
  /// Does all that was asked for since it was called last, and says what became of it, in the order asked.
  /// Valid until it is called again.
  std::span<const Transfer> run();

 private:
  struct Ring;
  void run_some(std::span<Transfer> some);
  void run_by_ring(std::span<Transfer> some);

  std::unique_ptr<Ring> ring_;
  std::vector<Transfer> asked_, done_;
};

/// One alone.
Transfer receive_now(int fd, Buffer& into, std::size_t most = piece);
Transfer send_now(int fd, Buffer& from);

}  // namespace arcwise::router
