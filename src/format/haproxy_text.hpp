// haproxy.cfg: sections of lines of words.
//
// Layer: format. Quotes, backslashes and comments are read as HAProxy reads them; a variable of the
// environment is kept as written, and its word marked.
#pragma once

#include <string_view>
#include <vector>

#include "format/proxy_import.hpp"

namespace arcwise {

using HaproxyLine = std::vector<ConfigWord>;  ///< at least one word

struct HaproxySection {
  HaproxyLine opening;  ///< backend NAME [from DEFAULTS]
  std::vector<HaproxyLine> lines;

  std::string_view kind() const { return opening.front().text; }
  std::string_view name() const;       ///< may be empty
  const ConfigWord* from() const;      ///< the defaults section that it names
  bool is_proxy_with_servers() const;  ///< a backend or listen that lists a server
};

/// What stands before the first section is dropped; conditional blocks (.if) are refused.
Result<std::vector<HaproxySection>> read_haproxy(const Source& source);

}  // namespace arcwise
