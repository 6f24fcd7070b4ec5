#include "cli/part_args.hpp"

#include <charconv>

#include "cli/quantities.hpp"
#include "format/pins.hpp"

namespace arcwise::cli {
namespace {

constexpr std::uint64_t largest_pins_file = std::uint64_t{1} << 26, most_copies = 1'000'000'000'000;

// "5=n2", "100-199=n2"
Args::Setter rule_into(std::vector<PartRules::Rule>& into, const char* option, const NoteOption& note) {
  return [&into, option, note](const std::string& text) -> std::string {
    const std::size_t equals = text.find('=');
    const auto rule = equals == std::string::npos
                          ? std::nullopt
                          : read_part_rule(text.substr(0, equals), text.substr(equals + 1));
    if (!rule) return "is not PART=NODE or FIRST-LAST=NODE, with parts numbered from 0";
    into.push_back(*rule);
    note(option, text);
    return "";
  };
}

// "n3" or "n3,by=25%"
std::string read_drain(std::vector<PartRules::Drain>& into, const std::string& text, const NoteOption& note) {
  const std::size_t comma = text.rfind(",by=");
  PartRules::Drain drain{text.substr(0, comma), 1};
  if (comma != std::string::npos) {
    const auto part = read_part(text.substr(comma + 4));
    if (!part) return "has a part that is not above 0 and at most 100%, such as NODE,by=25%";
    drain.by = *part;
  }
  if (drain.node.empty()) return "names no node";
  into.push_back(std::move(drain));
  note("--drain", text);
  return "";
}

}  // namespace

void declare_part_rules(Args& args, PartRules& rules, std::string& pins_file, const NoteOption& note) {
  args.option("--drain", "NODE[,by=25%]", Args::Setter([&rules, note](const std::string& text) {
                return read_drain(rules.drains, text, note);
              }),
              "a node gives up its partitions, or that part of them now, and stays in the map as leaving")
      .repeatable();
  args.option("--pin", "PART=NODE", rule_into(rules.pins, "--pin", note),
              "this partition or slot (or FIRST-LAST) shall have a copy on this node")
      .repeatable();
  args.option("--exclude", "PART=NODE", rule_into(rules.exclusions, "--exclude", note),
              "… shall have none there")
      .repeatable();
  args.option("--pins", "FILE", pins_file, "the same from a file: `pin 5 NODE`, `exclude 100-199 NODE`")
      .files();
  args.option("--at-most", "N", Args::Setter([&rules, note](const std::string& text) -> std::string {
                const char* const last = text.data() + text.size();
                std::uint64_t count = 0;
                const auto [end, error] = std::from_chars(text.data(), last, count);
                if (error != std::errc{} || end != last || count == 0 || count > most_copies)
                  return "is not a number of copies from 1 to 1000000000000";
                rules.at_most = count;
                note("--at-most", text);
                return "";
              }),
              "move so many copies of partitions now, the others in later plans");
  args.flag("--rebalance", rules.rebalance,
            "hand partitions or slots out anew, as the weights ask for, though no node changes");
}

Json parts_json(const std::optional<PartsMoved>& parts) {
  if (!parts) return nullptr;
  return {{"copies", parts->copies}, {"moved", parts->moved},      {"later", parts->later},
          {"least", parts->least},   {"fewest", parts->fewest},    {"most", parts->most},
          {"uneven", parts->uneven}, {"together", parts->together}};
}

std::optional<Error> read_pins(const std::string& path, PartRules& rules, const NoteOption& note) {
  auto bytes = read_file(path, largest_pins_file);
  if (!bytes) return bytes.error();
  const auto read = parse_pins({path, std::move(*bytes)});
  if (!read) return read.error();
  const auto add = [&](const std::vector<PartRules::Rule>& from, std::vector<PartRules::Rule>& to,
                       const char* option) {
    for (const PartRules::Rule& rule : from) {
      to.push_back(rule);
      const std::string last = rule.last == rule.first ? "" : "-" + std::to_string(rule.last);
      note(option, std::to_string(rule.first) + last + "=" + rule.node);
    }
  };
  add(read->pins, rules.pins, "--pin");
  add(read->exclusions, rules.exclusions, "--exclude");
  return std::nullopt;
}

}  // namespace arcwise::cli
