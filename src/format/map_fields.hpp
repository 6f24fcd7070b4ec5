// Inside the map file reader: one field's value, with an error that says what stands there instead.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "format/yaml.hpp"

namespace arcwise {

using Fault = std::optional<Error>;

Fault expect(const Source& source, const YamlNode& node, YamlNode::Kind kind);
/// Which of `keys` was probably meant by another word, and all of them.
std::string known_keys(std::string_view given, std::span<const std::string_view> keys);
/// The key is none of `keys`: says which was probably meant.
Fault unknown_key(const Source& source, const YamlNode& item, std::span<const std::string_view> keys);

/// Any scalar but an unquoted true or false: a name may look like a number.
Fault read_text(const Source& source, const YamlNode& node,
                const std::function<void(Marked<std::string>)>& put);
/// 0…2^64 - 1 in decimal digits.
Fault read_whole(const Source& source, const YamlNode& node,
                 const std::function<void(Marked<std::uint64_t>)>& put);
/// A decimal number, 0 or within the bounds of a node's weight.
Fault read_weight(const Source& source, const YamlNode& node, const std::function<void(Marked<double>)>& put);

/// A whole map, where it is a part of another file.
Result<ClusterMap> read_map(const Source& source, const YamlNode& root);

}  // namespace arcwise
