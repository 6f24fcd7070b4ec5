// An answer of Redis as redis-cli prints it: on a terminal (numbered lines), with --json, or with --raw (one
// value a line).
//
// Layer: format.
#pragma once

#include "format/yaml.hpp"

namespace arcwise {

struct RedisReply {
  /// --raw: `root` is the plain list of all values, without the structure that the answer had.
  bool flat = false;
  YamlNode root;
};

/// Numbers, nil and texts come as scalars and nulls; an empty line of --raw is a null.
Result<RedisReply> read_redis_reply(const Source& source);

/// A field of a map, or of the list [name, value, name, value…] that older protocols have for it; or null.
const YamlNode* reply_field(const YamlNode& map, std::string_view name);

}  // namespace arcwise
