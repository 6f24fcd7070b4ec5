// explain: why there? Every step from the key's bytes to its owners.
#include <cstdio>
#include <memory>

#include "cli/cluster_args.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t most_bytes = 64;
constexpr std::size_t most_rows = 60;

struct Options {
  ClusterArgs cluster;
  DownArgs down;
  std::string key;
};

std::string hex_bytes(std::string_view bytes) {
  std::string out;
  char text[4];
  for (char c : bytes.substr(0, most_bytes)) {
    std::snprintf(text, sizeof text, "%02x ", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += text;
  }
  if (out.empty()) return "no bytes";
  out.pop_back();
  if (bytes.size() > most_bytes) out += " …";
  return out + " (" + counted(bytes.size(), "byte", "bytes") + ")";
}

Tone tone_of(Verdict verdict) {
  if (verdict == Verdict::taken) return Tone::good;
  if (verdict == Verdict::taken_repeat) return Tone::warning;
  return verdict == Verdict::masked ? Tone::bad : Tone::plain;
}

std::string candidates(const Placement& placement, const Explanation& e, bool colour) {
  const ClusterMap& map = placement.map();
  Table table(
      {{"step", true}, {"token", true}, {"node"}, {"host"}, {"zone"}, {"rack"}, {"owner", true}, {"why"}});
  std::size_t taken = 0;
  for (std::size_t i = 0; i < e.candidates.size(); ++i) {
    const auto& c = e.candidates[i];
    const Node& node = map.nodes()[c.node];
    const bool took = c.verdict == Verdict::taken || c.verdict == Verdict::taken_repeat;
    taken += took;
    if (i >= most_rows && !took) continue;
    table.row({std::to_string(i + 1),
               placement.traits().enumerable ? to_text(map.space(), c.token) : "",
               node.name,
               map.replicas().across == Across::host ? node.host : "",
               node.zone,
               node.rack,
               took ? std::to_string(taken) : "",
               {std::string(to_string(c.verdict)), tone_of(c.verdict)}});
  }
  if (e.candidates.size() > most_rows)
    table.note("of " + counted(e.candidates.size()) + " candidates, the first " + std::to_string(most_rows) +
               " and every owner are shown; --json has all");
  return table.text(colour);
}

std::string text_answer(const Placement& placement, const Explanation& e, bool colour) {
  const ClusterMap& map = placement.map();
  const TokenSpace& space = map.space();
  const double share = share_of(map.domain(), e.region).value();
  Notes notes;
  notes.line("key", printable(e.key), Tone::strong);
  if (e.routing_key != e.key)
    notes.line("hashed part", printable(e.routing_key) + "  (what stands in the hash tag)");
  notes.line("hashed bytes", hex_bytes(placement.hashed_bytes(e.key)));
  notes.line("position",
             to_text(space, {e.hash.value}) + "  by " + std::string(info(map.placement().hash).name));
  if (placement.traits().enumerable)
    notes.line("range", "(" + to_text(space, e.region.after) + ", " + to_text(space, e.region.upto) + "], " +
                            per_cent(share) + " of hash space");
  if (!e.point_bytes.empty())
    notes.line("point", printable(e.point_bytes) + "  is hashed for the first owner's point");
  notes.line("policy", describe_policy(map.replicas()));
  std::string out = notes.text(colour) + '\n' + candidates(placement, e, colour) + '\n';
  std::string owners;
  for (NodeIndex n : e.owners) owners += (owners.empty() ? "" : ", ") + map.nodes()[n].name;
  return out + (owners.empty() ? "no owner" : (e.owners.size() == 1 ? "owner: " : "owners: ") + owners) +
         '\n';
}

}  // namespace

Action declare_explain(Args& args) {
  auto options = std::make_shared<Options>();
  args.operands("MAP", options->cluster.files, "a map, or another system's file; - is standard input", 1)
      .single()
      .files();
  args.operand("KEY", options->key, "the key to explain");
  options->down.declare(args, "skip these nodes, as a router that believes them down would");
  options->cluster.declare_reading(args);
  options->cluster.declare_policy(args);
  return [options](Session& session) -> Result<int> {
    const auto loaded = options->cluster.load();
    if (!loaded) return loaded.error();
    const auto down = options->down.resolve(loaded->cluster.map);
    if (!down) return down.error();
    const Explanation e = explain(loaded->placement, options->key, NodeMask(*down));
    session.out.write(session.json ? dump(explain_json(loaded->placement, e))
                                   : text_answer(loaded->placement, e, session.colour));
    return 0;
  };
}

}  // namespace arcwise::cli
