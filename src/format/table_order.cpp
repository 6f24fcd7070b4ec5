#include "format/table_order.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace arcwise {
namespace {

// "cache-10" after "cache-9": runs of digits compare as numbers.
bool natural_less(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
    return n;
  };
  while (!a.empty() && !b.empty()) {
    const std::size_t n = digits(a), m = digits(b);
    if (n && m) {
      if (n != m) return n < m;  // names seldom have leading zeros; those that do are equally long
      if (const int order = a.substr(0, n).compare(b.substr(0, n))) return order < 0;
    } else if (a[0] != b[0]) {
      return a[0] < b[0];
    }
    a.remove_prefix(std::max<std::size_t>(1, n));
    b.remove_prefix(std::max<std::size_t>(1, m));
  }
  return a.size() < b.size();
}

}  // namespace

std::vector<std::size_t> reading_order(const Placement& placement) {
  const auto& nodes = placement.map().nodes();
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!placement.traits().order_free) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const Node& a = nodes[i];
    const Node& b = nodes[j];
    if (a.zone != b.zone) return natural_less(a.zone, b.zone);
    if (a.rack != b.rack) return natural_less(a.rack, b.rack);
    return natural_less(a.name, b.name);
  });
  return order;
}

}  // namespace arcwise
