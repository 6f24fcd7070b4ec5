#include "place/key_rules.hpp"

#include "place/crush.hpp"
#include "place/partitioners.hpp"
#include "place/riak.hpp"
#include "place/swift.hpp"

namespace arcwise {

const KeyRuleInfo* find_key_rule(std::string_view name) {
  for (const KeyRuleInfo& rule : partitioner_key_rules())
    if (rule.name == name) return &rule;
  for (const KeyRuleInfo* rule : {&riak_key_rule, &swift_key_rule, &ceph_key_rule})
    if (rule->name == name) return rule;
  return nullptr;
}

}  // namespace arcwise
