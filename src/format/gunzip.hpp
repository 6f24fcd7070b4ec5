// Files packed with gzip, unpacked within a bound.
//
// Layer: format.
#pragma once

#include "arcwise/format.hpp"

namespace arcwise {

bool is_gzip(std::string_view bytes);
/// At most `most` bytes from the start, however damaged the rest is; for recognising what is packed.
std::string gunzip_head(std::string_view bytes, std::size_t most);
/// The whole file. Refused: damage (its checksum counts), and more than `most` bytes unpacked.
Result<std::string> gunzip(const Source& source, std::size_t most);

}  // namespace arcwise
