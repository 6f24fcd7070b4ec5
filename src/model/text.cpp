#include "model/text.hpp"

namespace arcwise {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

bool continues(std::string_view text, std::size_t at) {
  return (byte_at(text, at) & 0xc0) == 0x80;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at), second = byte_at(text, at + 1);
  if (at >= text.size()) return 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4 || !continues(text, at + 1)) return 0;
  if (lead < 0xe0) return 2;
  if (!continues(text, at + 2)) return 0;
  if (lead < 0xf0) {
    // E0 80…9F would be overlong; ED A0…BF are the surrogates U+D800…DFFF.
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0)) return 0;
    return 3;
  }
  if (!continues(text, at + 3) || (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90))
    return 0;
  return 4;
}

TextFault next_fault(std::string_view text, std::size_t& at) {
  while (at < text.size()) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return TextFault::encoding;
    const unsigned lead = byte_at(text, at);
    if (lead < 0x20 || lead == 0x7f || (lead == 0xc2 && byte_at(text, at + 1) < 0xa0))
      return TextFault::control;
    at += length;
  }
  return TextFault::none;
}

}  // namespace arcwise
