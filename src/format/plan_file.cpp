#include "format/plan_file.hpp"

#include <charconv>

#include "format/yaml.hpp"

namespace arcwise {
namespace {

using Kind = YamlNode::Kind;
constexpr std::string_view schema = "arcwise/plan/v1";
constexpr std::size_t digest_digits = 16;
constexpr const char* advice = "bring a file that `arcwise plan … -f FILE` has written";

Error wrong(const Source& source, const YamlNode& at, std::string why) {
  return fault_at(source, at.at, text_at(source, at.at), std::move(why), advice);
}

Result<const YamlNode*> field(const Source& source, const YamlNode& in, const char* name, Kind kind) {
  const YamlNode* found = in.find(name);
  if (!found) return wrong(source, in, std::string("there is no \"") + name + "\" here");
  if (found->kind == kind) return found;
  const char* wanted = kind == Kind::sequence ? "a list" : kind == Kind::map ? "an object" : "a text";
  return wrong(source, *found, std::string("\"") + name + "\" is not " + wanted);
}

Result<std::string> digest(const Source& source, const YamlNode& in, const char* name) {
  const auto found = field(source, in, name, Kind::scalar);
  if (!found) return found.error();
  const std::string& text = (*found)->text;
  if (text.size() != digest_digits || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    return wrong(source, **found, std::string("\"") + name + "\" is not 16 hex digits");
  return text;
}

Result<std::optional<std::uint64_t>> epoch_of(const Source& source, const YamlNode& in) {
  using Epoch = std::optional<std::uint64_t>;
  const YamlNode* found = in.find("epoch");
  if (!found || found->is(Kind::null)) return Epoch{};
  std::uint64_t value = 0;
  const char* end = found->text.data() + found->text.size();
  const auto [at, error] = std::from_chars(found->text.data(), end, value);
  if (!found->is(Kind::scalar) || error != std::errc{} || at != end)
    return wrong(source, *found, "\"epoch\" is not a whole number");
  return Epoch{value};
}

std::optional<Error> read_states(const Source& source, const YamlNode& root, PlanFile& out) {
  const auto states = field(source, root, "states", Kind::sequence);
  if (!states) return states.error();
  for (const YamlNode& item : (*states)->items) {
    if (!item.is(Kind::map)) return wrong(source, item, "a state is not an object");
    const auto fingerprint = digest(source, item, "fingerprint");
    if (!fingerprint) return fingerprint.error();
    const auto membership = digest(source, item, "membership");
    if (!membership) return membership.error();
    const auto epoch = epoch_of(source, item);
    if (!epoch) return epoch.error();
    out.states.push_back({*fingerprint, *membership, *epoch});
  }
  return std::nullopt;
}

// The steps lead from each state to the next, and the plan from the first to the last.
std::optional<Error> read_steps(const Source& source, const YamlNode& root, PlanFile& out) {
  const auto steps = field(source, root, "steps", Kind::sequence);
  if (!steps) return steps.error();
  if ((*steps)->items.empty()) return wrong(source, **steps, "the plan has no steps");
  if (out.states.size() != (*steps)->items.size() + 1)
    return wrong(source, **steps,
                 std::to_string((*steps)->items.size()) + " steps need one state more, and there are " +
                     std::to_string(out.states.size()));
  for (std::size_t i = 0; i < (*steps)->items.size(); ++i) {
    const YamlNode& item = (*steps)->items[i];
    if (!item.is(Kind::map)) return wrong(source, item, "a step is not an object");
    const auto action = field(source, item, "action", Kind::scalar);
    if (!action) return action.error();
    const auto before = digest(source, item, "before"), after = digest(source, item, "after");
    if (!before) return before.error();
    if (!after) return after.error();
    if (*before != out.states[i].fingerprint || *after != out.states[i + 1].fingerprint)
      return wrong(source, item, "the step does not lead from the state before it to the one after it");
    out.actions.push_back((*action)->text);
  }
  const auto before = digest(source, root, "before"), after = digest(source, root, "after");
  if (!before) return before.error();
  if (!after) return after.error();
  if (*before != out.states.front().fingerprint || *after != out.states.back().fingerprint)
    return wrong(source, root, "the plan does not lead from its first state to its last");
  return std::nullopt;
}

std::optional<Error> read_change(const Source& source, const YamlNode& root, PlanFile& out) {
  const auto words = field(source, root, "change", Kind::sequence);
  if (!words) return words.error();
  for (const YamlNode& word : (*words)->items) {
    if (!word.is(Kind::scalar)) return wrong(source, word, "a word of the change is not a text");
    out.change.push_back(word.text);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> PlanFile::state_of(const Fingerprints& prints) const {
  std::optional<std::size_t> same, alike;
  std::size_t many = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].fingerprint != prints.fingerprint) continue;
    alike = i;
    ++many;
    if (states[i].membership != prints.membership) continue;
    if (prints.epoch && states[i].epoch == prints.epoch) return i;
    if (!same) same = i;
  }
  if (same) return same;
  return many == 1 ? alike : std::nullopt;
}

Result<PlanFile> parse_plan(const Source& source) {
  const auto root = read_yaml(source);
  if (!root) return root.error();
  if (!root->is(Kind::map)) return wrong(source, *root, "a plan is an object");
  const YamlNode* named = root->find("schema");
  if (!named || named->text != schema)
    return wrong(source, named ? *named : *root,
                 "this is no plan: its \"schema\" is not \"arcwise/plan/v1\"");
  PlanFile out;
  if (auto error = read_states(source, *root, out)) return *error;
  if (auto error = read_steps(source, *root, out)) return *error;
  if (auto error = read_change(source, *root, out)) return *error;
  return out;
}

}  // namespace arcwise
