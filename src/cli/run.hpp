// The command line program as a function.
#pragma once

namespace arcwise::cli {

/// Runs one command line. Returns the exit code: 0 fine, 1 a finding, 2 usage or input, 3 I/O, 4 refused.
int run(int argc, char** argv);

}  // namespace arcwise::cli
