// --add, --remove, --weight and --replace, as a Change.
#pragma once

#include "arcwise/change.hpp"
#include "cli/args.hpp"

namespace arcwise::cli {

class ChangeArgs {
 public:
  void declare(Args& args);
  const Change& change() const { return change_; }

 private:
  Change change_;
};

}  // namespace arcwise::cli
