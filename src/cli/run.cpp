#include "cli/run.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/help.hpp"
#include "cli/verbs.hpp"
#include "format/json_text.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

bool colourful(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) && !(no_color && *no_color) && !(term && std::strcmp(term, "dumb") == 0);
}

// Before the arguments are read, errors already have to know how they are wanted.
bool wants(const std::vector<std::string>& words, std::string_view flag) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, flag) != end;
}

int report(const Error& error, std::string_view verb, const Session& session) {
  if (session.json) {
    session.say(json_error(error));
  } else {
    const std::string name = verb.empty() ? "arcwise" : "arcwise " + std::string(verb);
    session.say(toned(name + ':', Tone::bad, session.talk_colour) + ' ' + printable(to_string(error)));
  }
  return static_cast<int>(error.kind);
}

Error unknown_verb(const std::vector<std::string>& words) {
  std::vector<std::string> names, scenarios;
  for (const Verb& verb : verbs()) {
    names.emplace_back(verb.name);
    if (verb.name.starts_with(words[0] + ' ')) scenarios.emplace_back(verb.name.substr(words[0].size() + 1));
  }
  if (!scenarios.empty())
    return {ErrorKind::input,
            {},
            words.size() > 1 ? words[1] : "",
            words[0] + " what?",
            "use " + any_of(scenarios)};
  const std::string guess = nearest(words[0], names);
  return {ErrorKind::input,
          {},
          words[0],
          words[0].starts_with("-") ? "unknown option" : "unknown verb",
          guess.empty() ? "`arcwise --help` lists them" : "did you mean " + guess + "?"};
}

// The answer is out only when it has been written: a full disk is an error, a reader that left is not worth a
// word.
int finish(Session& session, int code) {
  session.out.flush();
  if (!session.out.failed()) return code;
  const int error = session.out.error();
  if (error != EPIPE)
    report(
        {ErrorKind::io, {}, "", std::string("cannot write to standard output: ") + std::strerror(error), ""},
        "", session);
  return static_cast<int>(ErrorKind::io);
}

// `arcwise simulate --help`: the help of every verb that starts with this word.
std::string help_of_family(const std::vector<std::string>& words) {
  if (words.size() > 1 && !words[1].starts_with('-')) return "";
  std::string out;
  for (const Verb& verb : verbs())
    if (verb.name.starts_with(words[0] + ' ')) out += (out.empty() ? "" : "\n") + help(verb);
  return out;
}

int run_verb(const Verb& verb, std::vector<std::string> words, Session& session) {
  Args args;
  const Action action = verb.declare(args);
  declare_common(verb, args, session.json);
  if (auto error = args.parse(std::move(words))) {
    if (error->advice.empty()) error->advice = "see arcwise " + std::string(verb.name) + " --help";
    return report(*error, verb.name, session);
  }
  const Result<int> result = action(session);
  if (!result) {
    finish(session, 0);
    return report(result.error(), verb.name, session);
  }
  return finish(session, *result);
}

int run_words(std::vector<std::string> words, Session& session) {
  if (words.empty()) {
    std::fputs(help().c_str(), stderr);
    return static_cast<int>(ErrorKind::input);
  }
  if (words[0] == "--version") words[0] = "version";
  const bool help_word = words[0] == "help";
  if (help_word) words.erase(words.begin());
  const bool help_wanted = help_word || wants(words, "--help") || wants(words, "-h");
  const FoundVerb found = find_verb(words);
  if (found.verb && help_wanted) {
    session.out.write(help(*found.verb));
    return finish(session, 0);
  }
  if (help_wanted && (words.empty() || words[0].starts_with("-"))) {
    session.out.write(help());
    return finish(session, 0);
  }
  if (const std::string text = help_wanted ? help_of_family(words) : ""; !text.empty()) {
    session.out.write(text);
    return finish(session, 0);
  }
  if (!found.verb) return report(unknown_verb(words), "", session);
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(found.words));
  return run_verb(*found.verb, std::move(words), session);
}

}  // namespace

int run(int argc, char** argv) {
  // A reader that left and a file that may not grow are errors of write(), not ends of the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  Session session;
  session.json = wants(words, "--json");
  session.colour = colourful(STDOUT_FILENO);
  session.talk_colour = colourful(STDERR_FILENO);
  try {
    return run_words(std::move(words), session);
  } catch (const std::bad_alloc&) {
    return report({ErrorKind::io, {}, "", "out of memory", ""}, "", session);
  } catch (const std::exception& error) {
    return report({ErrorKind::io, {}, "", std::string("internal error: ") + error.what(), "please report it"},
                  "", session);
  }
}

}  // namespace arcwise::cli
