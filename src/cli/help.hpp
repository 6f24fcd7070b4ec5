// Help texts, made from the command table and from what the verbs declare.
#pragma once

#include <string>

#include "cli/verbs.hpp"

namespace arcwise::cli {

std::string help();
std::string help(const Verb& verb);

/// What every verb takes besides its own arguments.
void declare_common(const Verb& verb, Args& args, bool& json);

}  // namespace arcwise::cli
