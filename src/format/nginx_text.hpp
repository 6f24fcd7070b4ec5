// nginx's configuration syntax: words up to a semicolon, or up to a block in braces.
//
// Layer: format. Words are read as nginx reads them: comments start where a word could, a quote counts only
// at the start of a word, a backslash takes the next character's meaning, and the brace of ${name} opens no
// block. Blocks of Lua code (…_by_lua_block) are skipped whole.
#pragma once

#include <string_view>
#include <vector>

#include "format/proxy_import.hpp"

namespace arcwise {

struct NginxDirective {
  std::vector<ConfigWord> words;  ///< at least one: its name
  std::vector<NginxDirective> block;
  bool has_block = false;

  std::string_view name() const { return words.front().text; }
};

Result<std::vector<NginxDirective>> read_nginx(const Source& source);

}  // namespace arcwise
