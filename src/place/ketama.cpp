#include "place/ketama.hpp"

#include <cmath>
#include <vector>

namespace arcwise {
namespace {

// A total of 0, where no server has a weight, shares nothing out.
std::uint32_t whole_digests(float digests, std::uint64_t total_weight) {
  return total_weight ? static_cast<std::uint32_t>(std::floor(digests)) : 0;
}

}  // namespace

std::uint32_t ketama_digests(std::uint64_t weight, std::uint64_t total_weight, std::uint64_t servers) {
  const float share = static_cast<float>(weight) / static_cast<float>(total_weight);
  const float digests = share * 160.0F / 4.0F * static_cast<float>(servers);
  return whole_digests(static_cast<float>(static_cast<double>(digests) + 1e-10), total_weight);
}

std::uint32_t libketama_digests(std::uint64_t weight, std::uint64_t total_weight, std::uint64_t servers) {
  const float share = static_cast<float>(weight) / static_cast<float>(total_weight);
  const double digests = static_cast<double>(share) * 40.0 * static_cast<double>(servers);
  return whole_digests(static_cast<float>(digests), total_weight);
}

std::uint32_t hashring_digests(double weight, double total_weight, std::uint32_t vnodes,
                               std::size_t servers) {
  return static_cast<std::uint32_t>(
      std::floor(weight / total_weight * static_cast<double>(vnodes) * static_cast<double>(servers)));
}

std::span<const Method> ketama_methods() {
  static const std::vector<Method> methods = [] {
    std::vector<Method> all;
    for (const auto part : {memcached_methods(), client_methods(), list_methods()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return methods;
}

}  // namespace arcwise
