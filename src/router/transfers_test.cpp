#include "router/transfers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "router/socket.hpp"

namespace arcwise::router {
namespace {

struct Pair {
  Descriptor near, far;
  Buffer buffer;
  Pair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    near = Descriptor(ends[0]);
    far = Descriptor(ends[1]);
  }
  void say(std::string_view bytes) const {
    EXPECT_EQ(::send(far.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  std::string heard() const {
    std::string all(std::size_t{1} << 20, '\0');
    std::size_t size = 0;
    for (ssize_t got = 0; (got = ::recv(far.get(), all.data() + size, all.size() - size, 0)) > 0;)
      size += static_cast<std::size_t>(got);
    all.resize(size);
    return all;
  }
};

class transfers : public testing::TestWithParam<Io> {
 protected:
  transfers() { moves_.open(GetParam()); }
  Transfers moves_;
};

TEST_P(transfers, of_one_that_has_more_as_much_is_received_as_is_asked_for) {
  Pair few, many;
  for (Pair* pair : {&few, &many}) pair->say(std::string(3 * piece / 2, 'x'));
  moves_.receive(few.near.get(), few.buffer, 0);
  moves_.receive(many.near.get(), many.buffer, 1, 4 * piece);
  moves_.run();
  EXPECT_EQ(few.buffer.size(), piece);
  EXPECT_EQ(many.buffer.size(), 3 * piece / 2);
  many.far = Descriptor();
  EXPECT_EQ(receive_now(many.near.get(), many.buffer, 4 * piece).moved, Moved::closed);
}

TEST_P(transfers, receives_from_many_sockets_what_each_has) {
  std::vector<Pair> pairs(600);  // more than a ring takes at once
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i % 7 == 0) continue;  // has nothing
    if (i % 5 == 0)
      pairs[i].far = Descriptor();  // has ended
    else
      pairs[i].say(std::string(i + 1, 'x'));
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) moves_.receive(pairs[i].near.get(), pairs[i].buffer, i);
  const auto done = moves_.run();
  ASSERT_EQ(done.size(), pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool ended = i % 7 != 0 && i % 5 == 0;
    EXPECT_EQ(done[i].what, i);
    EXPECT_EQ(done[i].moved, ended ? Moved::closed : Moved::some) << i;
    EXPECT_EQ(done[i].error, 0);
    EXPECT_EQ(pairs[i].buffer.size(), i % 7 == 0 || ended ? 0 : i + 1);
  }
  EXPECT_TRUE(moves_.run().empty());
}

TEST_P(transfers, sends_to_many_sockets_and_says_which_take_no_more) {
  std::vector<Pair> pairs(5);
  const std::string much(std::size_t{8} << 20, 'm');
  pairs[0].buffer.append("hello");
  pairs[1].buffer.append(much);
  pairs[2].buffer.append("lost");
  pairs[2].far = Descriptor();
  pairs[4].buffer.append("world");
  for (std::size_t i = 0; i < pairs.size(); ++i) moves_.send(pairs[i].near.get(), pairs[i].buffer, 10 + i);
  const auto done = moves_.run();
  ASSERT_EQ(done.size(), pairs.size());
  const Moved expected[] = {Moved::all, Moved::some, Moved::closed, Moved::all, Moved::all};
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_EQ(done[i].moved, expected[i]) << i;
  EXPECT_EQ(done[2].error, EPIPE);
  EXPECT_EQ(pairs[0].heard(), "hello");
  EXPECT_EQ(pairs[4].heard(), "world");
  const std::size_t arrived = pairs[1].heard().size();
  EXPECT_GT(arrived, 0u);
  EXPECT_EQ(pairs[1].buffer.size(), much.size() - arrived);
}

TEST_P(transfers, tells_why_a_descriptor_cannot_be_used) {
  Pair pair;
  Buffer other;
  other.append("x");
  moves_.receive(-1, pair.buffer, 0);
  moves_.send(-1, other, 1);
  for (const Transfer& t : moves_.run()) {
    EXPECT_EQ(t.moved, Moved::closed);
    EXPECT_EQ(t.error, EBADF);
  }
  EXPECT_EQ(other.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(either, transfers, testing::Values(Io::io_uring, Io::epoll),
                         [](const auto& io) { return io.param == Io::epoll ? "by_calls" : "by_ring"; });

}  // namespace
}  // namespace arcwise::router
