// JSON as the answers of programs: fixed key order, valid UTF-8 whatever the names and keys hold.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "arcwise/error.hpp"

namespace arcwise {

using Json = nlohmann::ordered_json;

/// {"schema": "arcwise/<what>/v1"}, to be filled.
Json answer(std::string_view what);
/// Two spaces of indent, a newline at the end; bytes that are not UTF-8 become U+FFFD.
std::string dump(const Json& json);
/// Appends the text as a JSON string, for answers too long to build as one value.
void append_json_string(std::string& out, std::string_view text);
bool valid_utf8(std::string_view text);

Json to_json(const Finding& finding);
/// {"schema": "arcwise/error/v1", "error": {…}} on one line.
std::string json_error(const Error& error);

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace arcwise
