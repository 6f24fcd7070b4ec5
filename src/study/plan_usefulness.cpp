// Which of the copies that move had to.
#include <algorithm>
#include <map>

#include "arcwise/steps.hpp"

namespace arcwise {

// What a node receives beyond what it grows by is useless, and as much is what nodes send beyond what they
// shrink by. Worked example: c joins a and b, and b receives 1/12 from a while it shrinks: that is useless,
// as the receivers show. Where c leaves and b sends 1/12 to a while both grow, the senders show it. Both
// views add up to the same, so that only one of them is taken: the one that tells more.
Usefulness usefulness(const Diff& diff) {
  Usefulness out;
  out.useful = diff.least;
  out.useless = out.untold = diff.moved - diff.least;
  std::map<std::string, std::pair<bool, bool>> stays;  // without growing, without shrinking
  for (const auto& node : diff.nodes)
    if (node.before.units > 0 && node.after.units > 0)
      stays[node.name] = {node.after <= node.before, node.after >= node.before};
  std::vector<Transfer> received, sent;
  Share in, out_of;
  for (const Transfer& t : diff.transfers) {
    if (stays[t.to].first) received.push_back(t), in += t.share;
    if (stays[t.from].second) sent.push_back(t), out_of += t.share;
  }
  out.pairs = std::move(in < out_of ? sent : received);
  out.untold = out.useless - std::max(in, out_of);
  return out;
}

}  // namespace arcwise
