// The names that this machine has for itself, for those who are led to it by a name that somebody else gave
// it.
//
// Layer: router. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace arcwise::router {

class OwnNames {
 public:
  OwnNames();
  void add(const std::string& name);
  /// Its host name, and the whole one that goes with it where somebody knows it. That is asked once, by a
  /// thread of its own: who is asked may take long to answer.
  void ask();
  std::vector<std::string> all() const;

 private:
  struct Known;
  std::shared_ptr<Known> known_;
};

}  // namespace arcwise::router
