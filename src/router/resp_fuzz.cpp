// Commands and replies of Redis, in pieces and whole: the same words, the same ends.
#include "router/resp.hpp"

#include "router/redis_commands.hpp"
#include "router/stream_fuzzing.hpp"

namespace {

using namespace arcwise::router;

struct Words {
  const RespRequest& request;
  std::string_view bytes;
};

void look_up(const RespRequest& request, std::string_view bytes) {
  const Words words{request, bytes};
  const RedisWords view{&words, request.words(), [](const void* of, std::size_t i) noexcept {
                          const auto& w = *static_cast<const Words*>(of);
                          return w.request.word(w.bytes, i);
                        }};
  const RedisCommand* command =
      find_redis_command(view[0], request.words() > 1 ? view[1] : std::string_view());
  if (command)
    each_redis_key(*command, view, [&](std::size_t i) {
      fuzzing::require(i > 0 && i < request.words() && view[i].size() <= bytes.size());
    });
}

class Stream {
 public:
  void hear(std::string_view piece) {
    held_ += piece;
    while (!broken_ && !held_.empty()) {
      const auto parsed = request_.parse(held_, {1000, 4096, 65536, 4096});
      if (parsed.what == RespRequest::What::more) return;
      broken_ = parsed.what == RespRequest::What::broken;
      said += std::string(parsed.error) + std::to_string(parsed.used) + ' ';
      if (parsed.what == RespRequest::What::request) {
        look_up(request_, held_);
        for (std::size_t i = 0; i < request_.words(); ++i) said += std::string(request_.word(held_, i)) + '|';
      }
      held_.erase(0, parsed.used);
      request_.reset();
    }
  }
  std::string said;

 private:
  std::string held_;
  RespRequest request_;
  bool broken_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Stream whole, pieces;
  whole.hear(bytes);
  fuzzing::in_pieces(data, size, [&](std::string_view piece) { pieces.hear(piece); });
  fuzzing::require(whole.said == pieces.said);

  const auto found = RespScanner().scan(bytes);
  RespScanner scanner;
  RespScanner::Found last;
  std::size_t heard = 0;
  fuzzing::in_pieces(data, size, [&](std::string_view piece) {
    heard += piece.size();
    if (last.size == 0 && !last.broken) last = scanner.scan(bytes.substr(0, heard));
  });
  fuzzing::require(last.size == found.size);
  return 0;
}
