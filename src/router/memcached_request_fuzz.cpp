// Requests one after the other, of a stream in pieces and whole: the same requests, in step to the end.
#include "router/memcached_request.hpp"

#include "router/stream_fuzzing.hpp"

namespace {

using namespace arcwise::router;

// Each command as one text.
class Stream {
 public:
  void hear(std::string_view piece) {
    held_ += piece;
    while (!held_.empty()) {
      McRequest request;
      const McParsed parsed = parse_memcached(held_, {4096, 4096}, request);
      if (parsed.what == McParsed::What::more) {
        fuzzing::require(parsed.wanted > held_.size());
        return;
      }
      fuzzing::require(parsed.used > 0 && parsed.used <= held_.size());
      if (parsed.skip_line || parsed.skip > 0) ended_ = true;  // what is passed over is the session's matter
      said += std::string(parsed.error) + std::string(request.name) + '|' + std::string(request.key) + '|' +
              std::string(request.rest) + '|' + std::string(request.data) + '\n';
      held_.erase(0, parsed.used);
      if (ended_) return;
    }
  }
  bool ended() const { return ended_; }
  std::string said;

 private:
  std::string held_;
  bool ended_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Stream whole, pieces;
  if (size > 0) whole.hear({reinterpret_cast<const char*>(data) + 1, size - 1});
  if (whole.ended()) return 0;
  fuzzing::in_pieces(data, size, [&](std::string_view piece) { pieces.hear(piece); });
  fuzzing::require(whole.said == pieces.said);
  return 0;
}
