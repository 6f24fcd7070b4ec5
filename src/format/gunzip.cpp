#include "format/gunzip.hpp"

#include <zlib.h>

#include <algorithm>

namespace arcwise {
namespace {

constexpr int gzip_window = 15 + 16;  // the largest window, in gzip's wrapping

// Frees what zlib holds, whichever way out.
struct Stream {
  z_stream state{};
  bool open = inflateInit2(&state, gzip_window) == Z_OK;
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (open) inflateEnd(&state);
  }
};

struct Unpacked {
  std::string bytes;
  bool whole = false;  ///< the end and its checksum were reached
};

Unpacked unpack(std::string_view packed, std::size_t most) {
  Unpacked out;
  Stream stream;
  if (!stream.open) return out;
  std::string chunk(std::size_t{1} << 16, '\0');
  while (out.bytes.size() < most && !out.whole) {
    const std::size_t piece = std::min(packed.size(), std::size_t{1} << 20);
    stream.state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.state.avail_in = static_cast<uInt>(piece);
    stream.state.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.state.avail_out = static_cast<uInt>(chunk.size());
    const int code = inflate(&stream.state, Z_NO_FLUSH);
    packed.remove_prefix(piece - stream.state.avail_in);
    const std::size_t got = chunk.size() - stream.state.avail_out;
    out.bytes.append(chunk, 0, std::min(got, most - out.bytes.size()));
    out.whole = code == Z_STREAM_END;
    if (code != Z_OK && !out.whole) break;
  }
  return out;
}

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

std::string gunzip_head(std::string_view bytes, std::size_t most) {
  return unpack(bytes, most).bytes;
}

Result<std::string> gunzip(const Source& source, std::size_t most) {
  Unpacked out = unpack(source.bytes, most + 1);
  const auto fault = [&](std::string why, std::string advice) {
    return Error{ErrorKind::input, {source.name, 0, 0}, "", std::move(why), std::move(advice)};
  };
  if (out.bytes.size() > most)
    return fault("the file unpacks to more than " + human_bytes(static_cast<double>(most)),
                 "is this the right file?");
  if (!out.whole) return fault("the gzip file is cut short or damaged", "copy it again");
  return std::move(out.bytes);
}

}  // namespace arcwise
