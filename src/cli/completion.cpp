// completion: scripts for bash, zsh and fish, made from the command table.
#include <map>
#include <memory>

#include "cli/help.hpp"
#include "cli/verbs.hpp"

namespace arcwise::cli {
namespace {

struct VerbArgs {
  const Verb* verb;
  Args args;
  Action keeps_bound_variables;
};

// Heap-held: the arguments' setters refer to variables that the action owns.
std::vector<std::unique_ptr<VerbArgs>> all_verbs() {
  static bool json;
  std::vector<std::unique_ptr<VerbArgs>> out;
  for (const Verb& verb : verbs()) {
    auto entry = std::make_unique<VerbArgs>(VerbArgs{&verb, {}, {}});
    entry->keeps_bound_variables = verb.declare(entry->args);
    declare_common(verb, entry->args, json);
    out.push_back(std::move(entry));
  }
  return out;
}

std::string first_word(std::string_view name) {
  return std::string(name.substr(0, name.find(' ')));
}
std::string second_word(std::string_view name) {
  const std::size_t space = name.find(' ');
  return space == std::string_view::npos ? "" : std::string(name.substr(space + 1));
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : between) + w;
  return out;
}

std::vector<std::string> flags_of(const Args::Argument& a) {
  const std::size_t comma = a.flags.find(',');
  if (comma == std::string::npos) return {a.flags};
  return {a.flags.substr(0, comma), a.flags.substr(comma + 1)};
}

// For single quotes of a shell.
std::string shell_text(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> first_words() {
  std::vector<std::string> out;
  for (const Verb& verb : verbs())
    if (out.empty() || out.back() != first_word(verb.name)) out.push_back(first_word(verb.name));
  return out;
}

std::map<std::string, std::vector<std::string>> second_words() {
  std::map<std::string, std::vector<std::string>> out;
  for (const Verb& verb : verbs())
    if (const std::string second = second_word(verb.name); !second.empty())
      out[first_word(verb.name)].push_back(second);
  return out;
}

// A case label: "simulate balance" is two words on the line, joined by the script.
std::string bash_verb(const VerbArgs& v) {
  std::string flags, values;
  for (const Args::Argument& a : v.args.all()) {
    if (a.operand) continue;
    const auto names = flags_of(a);
    flags += (flags.empty() ? "" : " ") + joined(names, " ");
    if (a.value.empty()) continue;
    values += "        " + joined(names, "|") + ") ";
    if (a.completes == Completes::choices) {
      values += "COMPREPLY=($(compgen -W " + shell_text(joined(a.choices, " ")) + " -- \"$word\"));;\n";
    } else {
      values +=
          a.completes == Completes::files ? "COMPREPLY=($(compgen -f -- \"$word\"));;\n" : "COMPREPLY=();;\n";
    }
  }
  return "    " + shell_text(v.verb->name) + ")\n      case \"$before\" in\n" + values +
         "        *) if [[ $word == -* ]]; then COMPREPLY=($(compgen -W " + shell_text(flags) +
         " -- \"$word\")); else COMPREPLY=($(compgen -f -- \"$word\")); fi;;\n      esac;;\n";
}

std::string bash_script() {
  std::string out =
      "# arcwise completion for bash: source <(arcwise completion bash)\n"
      "_arcwise() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W " +
      shell_text(joined(first_words(), " ")) +
      " -- \"$word\")); return; fi\n"
      "  case \"$verb\" in\n";
  for (const auto& [first, seconds] : second_words())
    out += "    " + first + ")\n      if ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W " +
           shell_text(joined(seconds, " ")) +
           " -- \"$word\")); return; fi\n      verb+=\" ${COMP_WORDS[2]}\";;\n";
  out += "  esac\n  case \"$verb\" in\n";
  for (const auto& v : all_verbs()) {
    if (v->verb->name == "completion") continue;
    out += bash_verb(*v);
  }
  return out +
         "    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\"));;\n  esac\n}\n"
         "complete -o filenames -F _arcwise arcwise\n";
}

// zsh's _arguments takes "[…]" and ":" as its own.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const Args::Argument& a) {
  if (a.completes == Completes::choices) return "(" + joined(a.choices, " ") + ")";
  return a.completes == Completes::files ? "_files" : " ";
}

std::string zsh_verb(const VerbArgs& v) {
  std::string out = "    " + shell_text(v.verb->name) + ")\n      _arguments";
  for (const Args::Argument& a : v.args.all()) {
    if (a.operand) {
      out += " \\\n        " + shell_text(std::string(a.repeats ? "*:"
                                                      : a.least ? ":"
                                                                : "::") +
                                          zsh_text(a.flags) + ":" + zsh_action(a));
      continue;
    }
    for (const std::string& flag : flags_of(a)) {
      std::string spec = (a.repeats ? "*" : "") + flag + "[" + zsh_text(a.help) + "]";
      if (!a.value.empty()) spec += ":" + zsh_text(a.value) + ":" + zsh_action(a);
      out += " \\\n        " + shell_text(spec);
    }
  }
  return out + ";;\n";
}

std::string zsh_script() {
  std::string out =
      "#compdef arcwise\n# arcwise completion for zsh: source <(arcwise completion zsh)\n"
      "_arcwise() {\n"
      "  local -a verbs=(\n";
  std::string last;
  for (const Verb& verb : verbs()) {
    const std::string first = first_word(verb.name);
    if (first == last) continue;
    last = first;
    out += "    " + shell_text(first + ":" + zsh_text(verb.summary)) + "\n";
  }
  out +=
      "  )\n  if ((CURRENT == 2)); then _describe verb verbs; return; fi\n  local verb=$words[2]\n  case "
      "\"$verb\" in\n";
  for (const auto& [first, seconds] : second_words())
    out += "    " + first + ")\n      if ((CURRENT == 3)); then compadd " + joined(seconds, " ") +
           "; return; fi\n      verb+=\" $words[3]\"; shift words; ((CURRENT--));;\n";
  out += "  esac\n  shift words; ((CURRENT--))\n  case \"$verb\" in\n";
  for (const auto& v : all_verbs()) out += zsh_verb(*v);
  return out + "  esac\n}\ncompdef _arcwise arcwise\n";
}

std::string fish_option(const std::string& condition, const Args::Argument& a) {
  std::string out = "complete -c arcwise -n " + shell_text(condition);
  for (const std::string& flag : flags_of(a))
    out += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
  if (!a.value.empty()) {
    if (a.completes == Completes::choices) {
      out += " -x -a " + shell_text(joined(a.choices, " "));
    } else {
      out += a.completes == Completes::files ? " -rF" : " -x";
    }
  }
  return out + " -d " + shell_text(a.help) + "\n";
}

std::string fish_script() {
  std::string out = "# arcwise completion for fish: arcwise completion fish | source\n";
  std::string last;
  for (const Verb& verb : verbs()) {
    const std::string first = first_word(verb.name);
    if (first != last)
      out += "complete -c arcwise -n __fish_use_subcommand -f -a " + first + " -d " +
             shell_text(verb.summary) + "\n";
    last = first;
  }
  for (const auto& [first, seconds] : second_words())
    out += "complete -c arcwise -n " +
           shell_text("__fish_seen_subcommand_from " + first + "; and not __fish_seen_subcommand_from " +
                      joined(seconds, " ")) +
           " -f -a " + shell_text(joined(seconds, " ")) + "\n";
  for (const auto& v : all_verbs()) {
    std::string condition = "__fish_seen_subcommand_from " + first_word(v->verb->name);
    if (const std::string second = second_word(v->verb->name); !second.empty())
      condition += "; and __fish_seen_subcommand_from " + second;
    for (const Args::Argument& a : v->args.all()) {
      if (!a.operand) {
        out += fish_option(condition, a);
      } else if (a.completes == Completes::choices) {
        out += "complete -c arcwise -n " + shell_text(condition) + " -f -a " +
               shell_text(joined(a.choices, " ")) + "\n";
      }
    }
  }
  return out;
}

}  // namespace

Action declare_completion(Args& args) {
  auto shell = std::make_shared<std::string>();
  args.operand("SHELL", *shell, "bash, zsh or fish").one_of({"bash", "zsh", "fish"});
  return [shell](Session& session) -> Result<int> {
    session.out.write(*shell == "bash" ? bash_script() : *shell == "zsh" ? zsh_script() : fish_script());
    return 0;
  };
}

}  // namespace arcwise::cli
