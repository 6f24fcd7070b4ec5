// The command table: one row a verb. Help and completion are made from it.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "arcwise/error.hpp"
#include "cli/args.hpp"
#include "cli/session.hpp"

namespace arcwise::cli {

/// What a verb does once its arguments are read. The value is the exit code, 0 or 1.
using Action = std::function<Result<int>(Session&)>;

struct Verb {
  std::string_view name;  ///< one word, or two: "simulate balance"
  std::string_view group;
  std::string_view summary;  ///< one line
  std::string_view about;    ///< the rest of its help: what it shows, its JSON, examples
  Action (*declare)(Args&);  ///< binds the arguments to variables that the action owns
};

std::span<const Verb> verbs();

/// The verb that a command line starts with, and how many words its name has. nullptr: none.
struct FoundVerb {
  const Verb* verb = nullptr;
  std::size_t words = 0;
};
FoundVerb find_verb(std::span<const std::string> words);

// One file a verb.
Action declare_status(Args&);
Action declare_ownership(Args&);
Action declare_ranges(Args&);
Action declare_locate(Args&);
Action declare_explain(Args&);
Action declare_check(Args&);
Action declare_risk(Args&);
Action declare_diff(Args&);
Action declare_plan(Args&);
Action declare_allocate(Args&);
Action declare_balance(Args&);
Action declare_fingerprint(Args&);
Action declare_identify(Args&);
Action declare_import(Args&);
Action declare_export(Args&);
Action declare_draw(Args&);
Action declare_recipes(Args&);
Action declare_simulate_balance(Args&);
Action declare_simulate_join(Args&);
Action declare_simulate_growth(Args&);
Action declare_completion(Args&);
Action declare_version(Args&);

}  // namespace arcwise::cli
