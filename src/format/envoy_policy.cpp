// How an Envoy cluster chooses hosts: lb_policy with its own message, or load_balancing_policy, which goes
// before it.
#include <array>

#include "format/columns.hpp"
#include "format/envoy.hpp"
#include "format/proxy_import.hpp"

namespace arcwise {
namespace {

using Fault = std::optional<Error>;
using Kind = YamlNode::Kind;

constexpr std::string_view takes = "only RING_HASH and MAGLEV place keys";

// "minimum_ring_size" and "minimumRingSize" are one name.
bool same_name(std::string_view written, std::string_view snake) {
  if (written == snake) return true;
  std::size_t at = 0;
  for (std::size_t i = 0; i < snake.size(); ++i, ++at) {
    const bool upper = snake[i] == '_';
    if (upper) ++i;
    if (at == written.size() || i == snake.size()) return false;
    const char expected = upper ? static_cast<char>(snake[i] - ('a' - 'A')) : snake[i];
    if (written[at] != expected) return false;
  }
  return at == written.size();
}

Fault read_size(const Source& source, const YamlNode& message, std::string_view name, std::uint64_t last,
                EnvoyPolicy& out) {
  const YamlNode* node = envoy_field(message, name);
  if (!node || node->is(Kind::null)) return std::nullopt;
  std::uint64_t number = 0;
  if (auto fault = read_envoy_number(source, *node, last, number)) return fault;
  if (number == 0)
    return fault_at(source, node->at, node->text, "a size of 0", "drop it, or write one above 0");
  out.settings[std::string(name)] = std::to_string(number);
  return std::nullopt;
}

Fault read_hash_function(const Source& source, const YamlNode& message, EnvoyPolicy& out) {
  const YamlNode* node = envoy_field(message, "hash_function");
  if (!node || node->text == "DEFAULT_HASH" || node->text == "XX_HASH") return std::nullopt;
  if (node->text != "MURMUR_HASH_2")
    return fault_at(source, node->at, shown(source, *node), "no such hash function",
                    "Envoy knows: XX_HASH, MURMUR_HASH_2");
  out.settings["hash_function"] = node->text;
  return std::nullopt;
}

// consistent_hashing_lb_config, which stands in common_lb_config or in the policy's own message.
Fault read_consistent(const Source& source, const YamlNode& message, EnvoyPolicy& out) {
  const YamlNode* factor = envoy_field(message, "hash_balance_factor");
  if (factor)
    if (auto fault = read_envoy_number(source, *factor, 4294967295U, out.balance_factor)) return fault;
  return read_envoy_flag(source, envoy_field(message, "use_hostname_for_hashing"), out.by_hostname);
}

Fault read_message(const Source& source, const YamlNode& message, EnvoyPolicy& out) {
  if (!out.maglev) {
    for (const std::string_view name : {"minimum_ring_size", "maximum_ring_size"})
      if (auto fault = read_size(source, message, name, 8388608, out)) return fault;
    if (auto fault = read_hash_function(source, message, out)) return fault;
    const auto size = [&](const char* name, std::uint64_t preset) {
      const auto at = out.settings.find(name);
      return at == out.settings.end() ? preset : parse_count(at->second, 8388608).value_or(preset);
    };
    if (size("minimum_ring_size", 1024) > size("maximum_ring_size", 8388608))
      return fault_at(source, message.at, text_at(source, message.at),
                      "the ring's minimum size is above its maximum size", "Envoy refuses that: lower it");
    return std::nullopt;
  }
  return read_size(source, message, "table_size", 5000011, out);
}

// The policy's own message of a newer configuration: the word before the last dot's name says which it is.
Fault read_extension(const Source& source, const YamlNode& policies, EnvoyPolicy& out) {
  const YamlNode* list = envoy_field(policies, "policies");
  if (!list || !list->is(Kind::sequence) || list->items.empty())
    return fault_at(source, policies.at, text_at(source, policies.at), "no policy in the list of policies",
                    "list one under `policies`");
  const YamlNode* config = envoy_field(list->items.front(), {"typed_extension_config", "typed_config"});
  const YamlNode* type = config ? config->find("@type") : nullptr;
  if (!type)
    return fault_at(source, list->items.front().at, text_at(source, list->items.front().at),
                    "a policy without its typed_config and @type", "write both");
  out.maglev = type->text.ends_with(".load_balancing_policies.maglev.v3.Maglev");
  if (!out.maglev && !type->text.ends_with(".load_balancing_policies.ring_hash.v3.RingHash"))
    return fault_at(source, type->at, type->text, "this policy does not hash", std::string(takes));
  if (auto fault = read_message(source, *config, out)) return fault;
  if (auto fault = read_consistent(source, *config, out)) return fault;
  if (const YamlNode* consistent = envoy_field(*config, "consistent_hashing_lb_config"))
    if (auto fault = read_consistent(source, *consistent, out)) return fault;
  out.by_locality = envoy_field(*config, "locality_weighted_lb_config") != nullptr;
  return std::nullopt;
}

}  // namespace

const YamlNode* envoy_field(const YamlNode& message, std::string_view name) {
  for (const YamlNode& item : message.items)
    if (message.is(Kind::map) && same_name(item.key, name)) return &item;
  return nullptr;
}

const YamlNode* envoy_field(const YamlNode& message, std::initializer_list<std::string_view> path) {
  const YamlNode* node = &message;
  for (const std::string_view name : path)
    if (node) node = envoy_field(*node, name);
  return node;
}

std::optional<Error> read_envoy_number(const Source& source, const YamlNode& node, std::uint64_t last,
                                       std::uint64_t& out) {
  const auto number = node.is(Kind::scalar) ? parse_count(node.text, last) : std::nullopt;
  if (!number)
    return fault_at(source, node.at, shown(source, node),
                    "`" + node.key + "` is not a whole number up to " + std::to_string(last),
                    "write decimal digits");
  out = *number;
  return std::nullopt;
}

std::optional<Error> read_envoy_flag(const Source& source, const YamlNode* node, bool& out) {
  if (!node) return std::nullopt;
  if (node->text != "true" && node->text != "false")
    return fault_at(source, node->at, shown(source, *node), "`" + node->key + "` is true or false",
                    "write one of them");
  out = node->text == "true";
  return std::nullopt;
}

std::optional<Error> read_envoy_policy(const Source& source, const YamlNode& cluster, EnvoyPolicy& out) {
  if (const YamlNode* subsets = envoy_field(cluster, {"lb_subset_config", "subset_selectors"});
      subsets && !subsets->items.empty())
    return fault_at(source, subsets->key_at, subsets->key, "the hosts are cut into subsets by the request",
                    "make a cluster of each subset to ask about it");
  if (const YamlNode* extension = envoy_field(cluster, "load_balancing_policy"))
    return read_extension(source, *extension, out);
  const YamlNode* policy = envoy_field(cluster, "lb_policy");
  if (!policy)
    return fault_at(source, cluster.at, text_at(source, cluster.at),
                    "no lb_policy, so Envoy takes hosts in turn", std::string(takes));
  out.maglev = policy->text == "MAGLEV";
  if (!out.maglev && policy->text != "RING_HASH")
    return fault_at(source, policy->at, shown(source, *policy), "this policy does not hash",
                    std::string(takes));
  if (const YamlNode* message = envoy_field(cluster, out.maglev ? "maglev_lb_config" : "ring_hash_lb_config"))
    if (auto fault = read_message(source, *message, out)) return fault;
  const YamlNode* common = envoy_field(cluster, "common_lb_config");
  if (!common) return std::nullopt;
  out.by_locality = envoy_field(*common, "locality_weighted_lb_config") != nullptr;
  const YamlNode* consistent = envoy_field(*common, "consistent_hashing_lb_config");
  return consistent ? read_consistent(source, *consistent, out) : std::nullopt;
}

}  // namespace arcwise
