// fingerprint: do they agree?
#include <algorithm>
#include <array>
#include <memory>

#include "arcwise/change.hpp"
#include "arcwise/check.hpp"
#include "cli/cluster_args.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::uint64_t key_tries = 4'000'000;

struct Options {
  std::vector<std::string> files;
  ClusterArgs reading;
  bool agree = false;
  std::uint64_t seed = 1;
};

struct Disagreement {
  std::size_t first = 0, second = 0;  ///< which maps
  std::optional<Region> region;       ///< the first one, where regions can be compared
  Share share;
  std::string key;
  std::vector<std::string> before, after;
};

std::vector<std::string> owners_at(const Placement& placement, KeyHash hash) {
  std::array<NodeIndex, max_replicas> found;
  const std::size_t n = placement.region_owners(placement.region_at(hash), {}, found);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back(placement.map().nodes()[found[i]].name);
  return names;
}

bool same_positions(const Placement& a, const Placement& b) {
  return a.traits().enumerable && b.traits().enumerable && a.map().space() == b.map().space() &&
         a.hashes_alike(b);
}

// Both rings' boundaries cut hash space into pieces with constant owners on either side. Worked example:
// boundaries 10, 40 and 10, 30, 40 give the pieces (…, 10], (10, 30], (30, 40].
std::optional<Region> first_difference(const Placement& a, const Placement& b) {
  std::size_t i = 0, j = 0;
  Token before = std::max(a.region(0).after, b.region(0).after);
  while (i < a.region_count() || j < b.region_count()) {
    const bool from_a =
        j == b.region_count() || (i < a.region_count() && a.region(i).upto <= b.region(j).upto);
    const Token upto = from_a ? a.region(i).upto : b.region(j).upto;
    if (owners_at(a, {upto.value}) != owners_at(b, {upto.value})) return Region{before, upto};
    if (i < a.region_count() && a.region(i).upto == upto) ++i;
    if (j < b.region_count() && b.region(j).upto == upto) ++j;
    before = upto;
  }
  return std::nullopt;
}

bool inside(const Region& r, KeyHash h) {
  if (r.after < r.upto) return h.value > r.after.value && h.value <= r.upto.value;
  return h.value > r.after.value || h.value <= r.upto.value;
}

std::string key_in(const Placement& placement, const Region& region) {
  for (std::uint64_t i = 0; i < key_tries; ++i) {
    std::string key = "key:" + std::to_string(i);
    if (inside(region, placement.hash(key))) return key;
  }
  return "";
}

std::optional<Disagreement> compare(const std::vector<Loaded>& maps, const std::vector<Fingerprints>& prints,
                                    std::uint64_t seed) {
  for (std::size_t i = 1; i < maps.size(); ++i) {
    if (prints[i].fingerprint == prints[0].fingerprint) continue;
    const Placement& a = maps[0].placement;
    const Placement& b = maps[i].placement;
    const Diff d = diff(a, b, seed);
    if (d.differs.units == 0) continue;  // written differently, placed alike
    Disagreement out{0, i, std::nullopt, d.differs, "", {}, {}};
    if (same_positions(a, b)) out.region = first_difference(a, b);
    if (out.region) out.key = key_in(a, *out.region);
    if (out.region && !out.key.empty()) {
      out.before = owners_at(a, a.hash(out.key));
      out.after = owners_at(b, b.hash(out.key));
    } else if (!d.example_keys.empty()) {
      out.key = d.example_keys[0].key;
      out.before = d.example_keys[0].before;
      out.after = d.example_keys[0].after;
    }
    return out;
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ",") + n;
  return out.empty() ? "nobody" : out;
}

std::string agreement_text(const std::optional<Disagreement>& d, const Options& o,
                           const std::vector<Loaded>& maps, bool colour) {
  if (!d) return toned("they agree", Tone::good, colour) + ": every key has the same owners\n";
  const TokenSpace& space = maps[d->first].cluster.map.space();
  std::string out = o.files[d->first] + " and " + o.files[d->second] + " " +
                    toned("disagree", Tone::bad, colour) + " on " + per_cent(d->share.value()) +
                    " of hash space\n";
  Notes notes;
  if (d->region)
    notes.line("first range",
               "(" + to_text(space, d->region->after) + ", " + to_text(space, d->region->upto) + "]");
  if (!d->key.empty())
    notes.line("key there", d->key)
        .line("owners, first", joined(d->before))
        .line("owners, second", joined(d->after));
  return out + notes.text(colour);
}

Json agreement_json(const std::optional<Disagreement>& d, const Options& o, const std::vector<Loaded>& maps) {
  if (!d) return nullptr;
  const TokenSpace& space = maps[d->first].cluster.map.space();
  Json json = {
      {"first", o.files[d->first]}, {"second", o.files[d->second]}, {"differs_share", d->share.value()}};
  json["region"] = nullptr;
  if (d->region)
    json["region"] = {{"after", to_text(space, d->region->after)}, {"upto", to_text(space, d->region->upto)}};
  json["key"] = d->key;
  json["owners_first"] = d->before;
  json["owners_second"] = d->after;
  return json;
}

void write_text(const Options& o, const std::vector<Fingerprints>& prints, Session& session) {
  Table table({{"fingerprint"}, {"tokens"}, {"membership"}, {"epoch", true}, {"map"}});
  for (std::size_t i = 0; i < prints.size(); ++i)
    table.row({prints[i].fingerprint, prints[i].token_digest.empty() ? "–" : prints[i].token_digest,
               prints[i].membership, prints[i].epoch ? std::to_string(*prints[i].epoch) : "–", o.files[i]});
  session.out.write(table.text(session.colour));
}

Json maps_json(const Options& o, const std::vector<Fingerprints>& prints) {
  if (prints.size() == 1) return fingerprint_json(prints[0]);
  Json json = answer("fingerprint");
  json["maps"] = Json::array();
  for (std::size_t i = 0; i < prints.size(); ++i) {
    Json row = {{"file", o.files[i]}};
    row.update(to_json(prints[i]));
    json["maps"].push_back(std::move(row));
  }
  return json;
}

Result<int> run_fingerprint(const Options& o, Session& session) {
  if (std::count(o.files.begin(), o.files.end(), "-") > 1)
    return usage_error("-", "standard input can be read only once", "name a file instead");
  if (o.agree && o.files.size() < 2)
    return usage_error("--agree", "one map has nothing to agree with",
                       "name two maps or more: arcwise fingerprint A B --agree");
  std::vector<Loaded> maps;
  std::vector<Fingerprints> prints;
  for (const std::string& file : o.files) {
    ClusterArgs one = o.reading;
    one.files = {file};
    auto loaded = one.load();
    if (!loaded) return loaded.error();
    maps.push_back(std::move(*loaded));
    prints.push_back(fingerprints(maps.back().placement));
  }
  std::optional<Disagreement> disagreement;
  if (o.agree) disagreement = compare(maps, prints, o.seed);
  if (session.json) {
    Json json = maps_json(o, prints);
    if (o.agree) {
      json["agree"] = !disagreement;
      json["disagreement"] = agreement_json(disagreement, o, maps);
    }
    session.out.write(dump(json));
  } else {
    write_text(o, prints, session);
    if (o.agree) session.out.write('\n' + agreement_text(disagreement, o, maps, session.colour));
  }
  return disagreement ? 1 : 0;
}

}  // namespace

Action declare_fingerprint(Args& args) {
  auto options = std::make_shared<Options>();
  args.operands("MAP", options->files,
                "maps, or other systems' files, one a cluster view; - is standard input", 1)
      .files();
  args.flag("--agree", options->agree,
            "exit 1 unless all place every key alike; names the first differing range and a key in it");
  args.option("--seed", "N", options->seed, "seed of the sampled keys, where ranges cannot be compared (1)");
  options->reading.declare_reading(args);
  options->reading.declare_policy(args);
  return [options](Session& session) { return run_fingerprint(*options, session); };
}

}  // namespace arcwise::cli
