#include "study/step_back.hpp"

#include <algorithm>

#include "model/build.hpp"
#include "study/numbers.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_tokens = 8;  // beyond, a command line is no way to say them

bool plain(const std::string& text) {
  return text.find_first_of(",=;") == std::string::npos;
}

std::string field(const char* name, const std::string& value) {
  return value.empty() ? "" : std::string(",") + name + "=" + value;
}

// "n13,rack=r1,address=10.0.0.13:11211", or empty where a command line cannot say it.
std::string node_words(const ClusterMap& map, const Node& node, NewNode& out) {
  for (const std::string* text : {&node.name, &node.address, &node.host, &node.rack, &node.zone})
    if (!plain(*text)) return "";
  out.name = node.name;
  out.address = node.address;
  out.host = node.host == default_host(node) ? "" : node.host;
  out.rack = node.rack;
  out.zone = node.zone;
  std::string words = node.name + field("rack", out.rack) + field("zone", out.zone) +
                      field("host", out.host) + field("address", out.address);
  if (node.weight != 1) {
    out.weight = node.weight;
    words += field("weight", shortest(node.weight));
  }
  if (!map.placement().given) return words;
  if (node.tokens.size() > most_tokens) return "";
  std::string tokens;
  for (Token token : node.tokens) {
    out.tokens.push_back(to_text(map.space(), token));
    tokens += (tokens.empty() ? "" : ";") + out.tokens.back();
  }
  return words + field("tokens", tokens);
}

bool undo(const ClusterMap& before, const NodeChange& step, Change& change, std::vector<std::string>& words) {
  const auto at = before.find(step.before);
  if (step.before.empty() && step.after.empty()) return false;
  if (step.before.empty()) {
    change.remove.push_back(step.after);
    words.insert(words.end(), {"--remove", step.after});
    return true;
  }
  if (!at) return false;
  const Node& was = before.nodes()[*at];
  if (step.before == step.after && step.action.rfind("reweight ", 0) == 0) {
    if (!plain(was.name)) return false;
    change.weight.emplace_back(was.name, was.weight);
    words.insert(words.end(), {"--weight", was.name + "=" + shortest(was.weight)});
    return true;
  }
  NewNode node;
  std::string text = node_words(before, was, node);
  if (text.empty()) return false;
  if (step.after.empty()) {
    change.add.push_back(std::move(node));
    words.insert(words.end(), {"--add", std::move(text)});
    return true;
  }
  if (!plain(step.after)) return false;
  change.replace.emplace_back(step.after, std::move(node));
  words.insert(words.end(), {"--replace", step.after + "=" + text});
  return true;
}

}  // namespace

std::vector<std::string> words_back(const ClusterMap& before, const ClusterMap& after,
                                    const std::vector<NodeChange>& step, const Fingerprints& wanted) {
  if (before.placement().recipe->points == PointRule::table) return {};  // handing out anew finds another way
  Change change;
  std::vector<std::string> words;
  for (auto one = step.rbegin(); one != step.rend(); ++one)
    if (!undo(before, *one, change, words)) return {};
  std::vector<Finding> told;
  const auto undone = apply(after, change, told);
  if (!undone) return {};
  const Fingerprints got = fingerprints(compile(*undone));
  return got.fingerprint == wanted.fingerprint && got.membership == wanted.membership
             ? words
             : std::vector<std::string>{};
}

}  // namespace arcwise
