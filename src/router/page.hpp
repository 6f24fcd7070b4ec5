// The page for people, as it is served: one file with its style and its script, which ask nobody else.
//
// Layer: router. web/page.html, which the build puts into the program.
#pragma once

#include <string_view>

namespace arcwise::router {

extern const std::string_view page_text;
/// In its place stands what lets the page's own style and script run, and no other.
inline constexpr std::string_view page_nonce = "{{nonce}}";

}  // namespace arcwise::router
