#include "cli/help.hpp"

#include <algorithm>

#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t page_width = 100;

std::string padded(std::string text, std::size_t width) {
  text.append(width - std::min(width, text_width(text)), ' ');
  return text;
}

// "  -o, --output FILE"
std::string left_column(const Args::Argument& a) {
  if (a.operand) return "  " + a.flags;
  const std::size_t comma = a.flags.find(',');
  std::string out = comma == std::string::npos
                        ? "      " + a.flags
                        : "  " + a.flags.substr(0, comma) + ", " + a.flags.substr(comma + 1);
  return a.value.empty() ? out : out + ' ' + a.value;
}

std::string right_column(const Args::Argument& a) {
  std::string out = a.help;
  const bool said = std::all_of(a.choices.begin(), a.choices.end(),
                                [&](const std::string& c) { return a.help.find(c) != std::string::npos; });
  if (!a.choices.empty() && !said) out += ": " + any_of(a.choices);
  if (a.repeats && !a.operand && !a.value.empty()) out += "; repeatable";
  return out;
}

std::string usage_line(const Verb& verb, const Args& args) {
  std::string out = "usage: arcwise " + std::string(verb.name);
  for (const Args::Argument& a : args.all()) {
    if (!a.operand) continue;
    std::string word = a.flags + (a.repeats ? "…" : "");
    out += ' ' + (a.least ? word : '[' + word + ']');
  }
  const bool options =
      std::any_of(args.all().begin(), args.all().end(), [](const auto& a) { return !a.operand; });
  return out + (options ? " [OPTION…]\n" : "\n");
}

std::string rows(const Args& args, bool operands) {
  std::size_t width = 0;
  for (const Args::Argument& a : args.all()) width = std::max(width, text_width(left_column(a)));
  width = std::min<std::size_t>(width, 34) + 2;
  std::string out;
  for (const Args::Argument& a : args.all()) {
    if (a.operand != operands) continue;
    std::string left = left_column(a);
    if (text_width(left) + 2 > width) {
      out += left + '\n';
      left.clear();
    }
    out += padded(left, width) + wrapped(right_column(a), page_width, width) + '\n';
  }
  return out;
}

}  // namespace

std::string help() {
  std::string out =
      "arcwise: which nodes hold this key, and everything that follows from it\n\n"
      "usage: arcwise VERB [ARGUMENT…]\n"
      "       arcwise VERB --help\n";
  std::string_view group;
  for (const Verb& verb : verbs()) {
    if (verb.group != group) out += "\n" + std::string(verb.group) + "\n";
    group = verb.group;
    out += padded("  " + std::string(verb.name), 20) + std::string(verb.summary) + "\n";
  }
  return out +
         "\nA MAP is Arcwise's own YAML or JSON, or a file of another system, recognised by its content: "
         "nutcracker.yml,\n"
         "nodetool ring, status or describering, Redis CLUSTER NODES, and more (--from lists them). - is "
         "standard input.\n"
         "\nEvery verb takes --json. Exit codes: 0 fine, 1 a finding, 2 usage or input, 3 I/O, 4 refused.\n";
}

std::string help(const Verb& verb) {
  Args args;
  const Action keeps_bound_variables = verb.declare(args);
  bool json = false;
  declare_common(verb, args, json);
  std::string out = "arcwise " + std::string(verb.name) + ": " + std::string(verb.summary) + "\n\n" +
                    usage_line(verb, args);
  if (!verb.about.empty()) out += "\n" + std::string(verb.about) + "\n";
  if (const std::string operands = rows(args, true); !operands.empty()) out += "\n" + operands;
  if (const std::string options = rows(args, false); !options.empty()) out += "\noptions\n" + options;
  return out;
}

void declare_common(const Verb& verb, Args& args, bool& json) {
  if (verb.name != "completion") args.flag("--json", json, "the answer, and errors, as JSON");
}

}  // namespace arcwise::cli
