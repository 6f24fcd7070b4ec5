#include "model/build.hpp"

namespace arcwise {

std::string label_of(LabelRule rule, const std::string& name) {
  constexpr std::string_view port = ":11211";
  switch (rule) {
    case LabelRule::name:
      return name;
    case LabelRule::drop_11211:
      return name.size() > port.size() && name.ends_with(port) ? name.substr(0, name.size() - port.size())
                                                               : name;
    case LabelRule::slash:
      return "/" + name;
  }
  return name;
}

}  // namespace arcwise
