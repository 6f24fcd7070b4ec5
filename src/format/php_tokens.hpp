// The words of PHP source that call sequences and option lists are made of.
//
// Layer: format.
#pragma once

#include <vector>

#include "arcwise/format.hpp"

namespace arcwise {

struct PhpToken {
  enum class Kind : std::uint8_t { name, variable, number, text, sign, end };
  Kind kind = Kind::end;
  std::string text;  ///< of a text: without quotes and escapes
  Mark at;

  bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
};

/// All tokens and an `end`. Comments, `<?php` and `?>` are left out. Texts in double quotes must not name
/// variables.
Result<std::vector<PhpToken>> php_tokens(const Source& source);

}  // namespace arcwise
