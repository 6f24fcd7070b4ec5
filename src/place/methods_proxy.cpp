#include "place/methods.hpp"

namespace arcwise {

std::span<const Method> proxy_methods() {
  return {};
}

}  // namespace arcwise
