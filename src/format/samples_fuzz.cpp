// The input up to the first empty line is a list of nodes, the rest are samples of them.
#include "format/samples.hpp"

#include "format/import_fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arcwise;
  const std::string text = fuzzing::text_of(data, size);
  const std::size_t gap = std::min(text.find("\n\n"), text.size());
  const auto nodes = parse_node_list({"nodes", text.substr(0, gap)});
  if (!nodes) {
    fuzzing::require(!to_string(nodes.error()).empty() && !nodes.error().advice.empty());
    return 0;
  }
  fuzzing::require(!nodes->empty());
  for (const Node& node : *nodes) fuzzing::require(!node.name.empty());
  const auto samples = parse_samples({"samples", text.substr(gap)}, *nodes);
  if (!samples) {
    fuzzing::require(!to_string(samples.error()).empty() && !samples.error().advice.empty());
    return 0;
  }
  for (const ObservedKey& sample : *samples) fuzzing::require(sample.node < nodes->size());
  return 0;
}
