#include "cli/args.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

namespace arcwise::cli {
namespace {

// Decimal digits only: "1e3", "+5" and "5 " are refused rather than guessed at.
std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Error usage(std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, {}, std::move(what), std::move(why), std::move(advice)};
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

// What the command line holds for one argument.
struct Given {
  std::vector<std::string> values;
  std::size_t count = 0;  ///< of a switch
};

void declare(CLI::App& app, const Args::Argument& argument, Given& given) {
  if (argument.value.empty()) {
    app.add_flag_function(argument.flags,
                          [&given](std::int64_t n) { given.count = static_cast<std::size_t>(n); });
    return;
  }
  app.add_option(argument.flags, given.values)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<std::string> flags_of(const std::vector<Args::Argument>& arguments) {
  std::vector<std::string> out;
  for (const auto& a : arguments)
    if (!a.operand) out.push_back(a.longest_flag());
  return out;
}

Error unknown_option(const std::string& word, const std::vector<Args::Argument>& arguments) {
  const std::string flag = word.substr(0, word.find('='));
  const std::string near = nearest(flag, flags_of(arguments));
  return usage(
      flag, "unknown option",
      near.empty() ? "write -- before a value that starts with a dash" : "did you mean " + near + "?");
}

// CLI11 says "--down: 1 required TEXT missing".
Error value_missing(const std::string& said, const std::vector<Args::Argument>& arguments) {
  const std::string flag = said.substr(0, said.find(':'));
  for (const Args::Argument& a : arguments)
    if (a.longest_flag() == flag || a.flags == flag)
      return usage("", a.longest_flag() + ": its value is missing",
                   "write " + a.longest_flag() + ' ' +
                       (a.choices.empty() ? a.value : a.choices.front() + ", for example"));
  return usage("", said, "");
}

// Takes the options out of `words`; what is left are operands. CLI11 never sees those: it would read "[a,b]"
// as a list.
std::optional<Error> take_options(CLI::App& app, std::vector<std::string>& words,
                                  const std::vector<Args::Argument>& arguments) {
  const auto mark = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> after(mark == words.end() ? mark : mark + 1, words.end());
  words.erase(mark, words.end());
  std::reverse(words.begin(), words.end());  // CLI11 takes a vector from its back
  try {
    app.parse(std::move(words));
  } catch (const CLI::ArgumentMismatch& error) {
    return value_missing(error.what(), arguments);
  } catch (const CLI::ParseError& error) {
    return usage("", error.what(), "");
  }
  words = app.remaining();
  for (const std::string& word : words)
    if (word.size() > 1 && word[0] == '-') return unknown_option(word, arguments);
  words.insert(words.end(), after.begin(), after.end());
  return std::nullopt;
}

// One word for each operand, the rest for the one that repeats.
std::optional<Error> deal_operands(const std::vector<std::string>& words,
                                   const std::vector<Args::Argument>& arguments, std::vector<Given>& given) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].operand) continue;
    while (next < words.size() && (arguments[i].repeats || given[i].values.empty()))
      given[i].values.push_back(words[next++]);
  }
  if (next < words.size()) return usage(words[next], "one argument too many", "");
  return std::nullopt;
}

std::optional<Error> set(const Args::Argument& a, const std::string& value) {
  // --fingerprint "$F" with F unset must not go unguarded.
  if (!a.operand && value.empty())
    return usage("", a.longest_flag() + ": its value is empty", "give it one, or leave the option out");
  const bool listed = std::find(a.choices.begin(), a.choices.end(), value) != a.choices.end();
  if (a.completes == Completes::choices && !listed)
    return usage(value, a.longest_flag() + ": no such value", "use " + any_of(a.choices));
  const std::string wrong = a.set(value);
  if (!wrong.empty()) return usage(value, a.longest_flag() + ": this " + wrong, "");
  return std::nullopt;
}

Args::Setter put(std::string& into) {
  return [&into](const std::string& text) {
    into = text;
    return std::string();
  };
}

Args::Setter append(std::vector<std::string>& into) {
  return [&into](const std::string& text) {
    into.push_back(text);
    return std::string();
  };
}

}  // namespace

std::string Args::Argument::longest_flag() const {
  const std::size_t comma = flags.rfind(',');
  return comma == std::string::npos ? flags : flags.substr(comma + 1);
}

std::string nearest(std::string_view word, const std::vector<std::string>& choices) {
  std::string best;
  std::size_t distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& choice : choices) {
    const std::size_t d = edit_distance(word, choice);
    if (d < distance) {
      distance = d;
      best = choice;
    }
  }
  return best;
}

std::string any_of(const std::vector<std::string>& choices) {
  std::string out;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i) out += i + 1 == choices.size() ? " or " : ", ";
    out += choices[i];
  }
  return out;
}

Args& Args::add(Argument argument) {
  arguments_.push_back(std::move(argument));
  return *this;
}

Args& Args::operand(std::string_view name, std::string& into, std::string_view help, std::size_t least) {
  return add({.flags = std::string(name),
              .value = std::string(name),
              .help = std::string(help),
              .operand = true,
              .least = least,
              .set = put(into)});
}

Args& Args::operands(std::string_view name, std::vector<std::string>& into, std::string_view help,
                     std::size_t least) {
  return add({.flags = std::string(name),
              .value = std::string(name),
              .help = std::string(help),
              .operand = true,
              .repeats = true,
              .least = least,
              .set = append(into)});
}

Args& Args::flag(std::string_view flags, bool& into, std::string_view help) {
  const auto set = [&into](const std::string&) {
    into = true;
    return std::string();
  };
  return add({.flags = std::string(flags), .help = std::string(help), .repeats = true, .set = set});
}

Args& Args::option(std::string_view flags, std::string_view value, Setter set, std::string_view help) {
  return add({.flags = std::string(flags),
              .value = std::string(value),
              .help = std::string(help),
              .set = std::move(set)});
}

Args& Args::option(std::string_view flags, std::string_view value, std::string& into, std::string_view help) {
  return option(flags, value, put(into), help);
}

Args& Args::option(std::string_view flags, std::string_view value, std::vector<std::string>& into,
                   std::string_view help) {
  return option(flags, value, append(into), help).repeatable();
}

Args& Args::option(std::string_view flags, std::string_view value, std::uint64_t& into,
                   std::string_view help) {
  return option(flags, value, Setter([&into](const std::string& text) -> std::string {
                  const auto n = whole_number(text);
                  if (!n) return "is not a whole number";
                  into = *n;
                  return "";
                }),
                help);
}

Args& Args::option(std::string_view flags, std::string_view value, std::optional<std::uint32_t>& into,
                   std::string_view help) {
  return option(flags, value, Setter([&into](const std::string& text) -> std::string {
                  const auto n = whole_number(text);
                  if (!n || *n == 0 || *n > UINT32_MAX) return "is not a whole number above 0";
                  into = static_cast<std::uint32_t>(*n);
                  return "";
                }),
                help);
}

Args& Args::files() {
  arguments_.back().completes = Completes::files;
  return *this;
}

Args& Args::one_of(std::vector<std::string> choices) {
  arguments_.back().completes = Completes::choices;
  arguments_.back().choices = std::move(choices);
  return *this;
}

Args& Args::repeatable() {
  arguments_.back().repeats = true;
  return *this;
}

Args& Args::single() {
  arguments_.back().repeats = false;
  return *this;
}

std::optional<Error> Args::parse(std::vector<std::string> words) const {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<Given> given(arguments_.size());
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (!arguments_[i].operand) declare(app, arguments_[i], given[i]);
  if (auto error = take_options(app, words, arguments_)) return error;
  if (auto error = deal_operands(words, arguments_, given)) return error;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& a = arguments_[i];
    const Given& g = given[i];
    if (g.values.size() < a.least) return usage("", a.flags + " is missing", a.help);
    if (g.values.size() > 1 && !a.repeats)
      return usage(g.values[1], a.longest_flag() + " is given twice", "give it once");
    if (g.count) a.set("");
    for (const std::string& value : g.values)
      if (auto error = set(a, value)) return error;
  }
  return std::nullopt;
}

}  // namespace arcwise::cli
