#include "cli/verbs.hpp"

#include <string>

namespace arcwise::cli {
namespace {

constexpr std::string_view ask = "Ask a cluster", change = "Change it", files = "Files and pictures",
                           tools = "Without a cluster";

constexpr Verb table[] = {
    {"status", ask, "is it fine? headline, nodes, judgement against chance",
     "Says whether the cluster is healthy and why not, what each node holds against what its weight\n"
     "entitles it to, what random tokens alone would give, and what makes an imbalance: tokens or data.\n"
     "It speaks of key space, not of traffic. Exits 0 whatever it finds; `check` is for scripts.",
     declare_status},
    {"ownership", ask, "how even? per node, host, rack and zone",
     "share: part of hash space owned as first owner, sums to 1. effective: part held as any copy, sums to\n"
     "the replica count. target: what the weight entitles to. ratio: effective over target.",
     declare_ownership},
    {"ranges", ask, "every range with its share, owners and racks",
     "One line a range, (after, upto]; shares sum to exactly 1. JSON is an object with the array `ranges`,\n"
     "one range a line; hosts[i], racks[i] and zones[i] belong to owners[i].",
     declare_ranges},
    {"locate", ask, "where? owners of keys, streaming",
     "Prints key, tab, owners separated by commas, in preference order: what the map says. A key or name\n"
     "with a comma, quote, tab or newline is printed as a JSON string. Nodes that a file shows as down "
     "still\n"
     "own their keys; --down skips nodes as a router would. Keys from --keys are any bytes but a newline.\n"
     "JSON is an object with the array `locate`, one key a line; a key that is not UTF-8 also comes as\n"
     "`key_hex`.",
     declare_locate},
    {"explain", ask, "why there? every step and every candidate",
     "Shows the bytes that are hashed, the position, its range, and each candidate with the reason why it\n"
     "was taken or skipped.",
     declare_explain},
    {"check", ask, "is it correct? exits 1 on an error",
     "Lint, invariants and replica diversity on every range. --replicas and --across demand more than the\n"
     "map asks for; they do not change what is checked.",
     declare_check},
    {"risk", ask, "what do failures cost? replica sets, quorum loss",
     "Exact, over all equally likely sets of failed nodes. With --down: what these nodes cost.",
     declare_risk},
    {"fingerprint", ask, "do they agree? digests of maps",
     "Equal fingerprints: equal functions. Unequal ones prove nothing by themselves; --agree then compares\n"
     "owners. For several maps, JSON is an object with the array `maps`.",
     declare_fingerprint},
    {"identify", ask, "which recipe explains these observed (key, node) pairs? exits 1 if none",
     "Tries every recipe that the nodes allow, with the settings in usual use. A fifth of the samples is "
     "held\n"
     "out to confirm what the others chose; 5 % of wrong samples do no harm. Rows that the samples cannot "
     "tell\n"
     "apart are listed together, with a key that would. In JSON `mismatches` counts all samples, `settings` "
     "is\n"
     "what the recipe does not preset, rows with the same `keys_group` are one function as far as was tried.",
     declare_identify},
    {"diff", change, "on what do two maps disagree? exits 1 if on anything",
     "Nodes of both maps are the same node when their names are equal. --from, --with and --pool are about\n"
     "A, the ones that end in -b about B.",
     declare_diff},
    {"plan", change, "what would a change move, at what cost, in which steps?",
     "moved: newly held copies, in units of one full copy. Exits 4 when nothing would change. --from, "
     "--with\n"
     "and --pool are about MAP, the ones that end in -to about the map after --to.",
     declare_plan},
    {"allocate", change, "which tokens should a new node take?",
     "Prints the lines for the node's cassandra.yaml. No token that the map has is moved. Exits 4 when the "
     "map "
     "is\n"
     "not the expected one, or when another node is still joining. With --bisect: for a twin of every node. "
     "With\n"
     "--racks: for a cluster that is yet to be, in the words of Cassandra's generatetokens.\n"
     "Example: arcwise allocate --racks 3,3,3 --tokens 16 --replicas 3 --will-grow",
     declare_allocate},
    {"balance", change, "which ranges should split, move and merge, so that measured load is even?",
     "Takes bytes and requests of each range, slot or partition, and of single keys where they are known.\n"
     "Requests go to the first owner, bytes lie on every owner. Ranges of recipe ranges are split where "
     "their\n"
     "load halves; slots and partitions move whole. Says which key is the cause where one alone is. Exits 4 "
     "when\n"
     "nothing would improve. --split, --move and --merge change a map by hand, in this order.\n"
     "Example: arcwise balance map.yaml --load load.txt --keys-load keys.tsv --write-map after.yaml",
     declare_balance},
    {"import", files, "other systems' files as a map",
     "Prints the map. What the importer noticed goes to stderr, or to `findings` with --json.",
     declare_import},
    {"export", files, "a map as another system's configuration",
     "Writes a configuration that places every key as the map does, or exits 2 and says what the system\n"
     "cannot do. Nothing is written by halves.",
     declare_export},
    {"draw", files, "pictures: the ring, and ownership against target",
     "Writes one SVG that reads in light and in dark.", declare_draw},
    {"simulate balance", tools, "how uneven are random tokens? beside the formulas",
     "Example: arcwise simulate balance --nodes 100 --tokens 1,4,16,64,256", declare_simulate_balance},
    {"simulate join", tools, "what does a node get that joins with random tokens?",
     "Example: arcwise simulate join --nodes 12 --tokens 1,256", declare_simulate_join},
    {"simulate growth", tools, "how even does a cluster stay whose tokens are chosen?",
     "Example: arcwise simulate growth --nodes 60 --tokens 16 --racks 3 --stale-join 30",
     declare_simulate_growth},
    {"recipes", tools, "how each system places keys, and what that promises", "", declare_recipes},
    {"completion", tools, "a completion script for bash, zsh or fish",
     "Example: source <(arcwise completion bash)", declare_completion},
    {"version", tools, "the version", "", declare_version},
};

}  // namespace

std::span<const Verb> verbs() {
  return table;
}

FoundVerb find_verb(std::span<const std::string> words) {
  for (const Verb& verb : table) {
    const std::size_t space = verb.name.find(' ');
    if (words.empty() || words[0] != verb.name.substr(0, space)) continue;
    if (space == std::string_view::npos) return {&verb, 1};
    if (words.size() > 1 && words[1] == verb.name.substr(space + 1)) return {&verb, 2};
  }
  return {};
}

}  // namespace arcwise::cli
