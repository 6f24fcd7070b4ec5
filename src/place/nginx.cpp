#include "place/nginx.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "hash/bytes.hpp"
#include "hash/crc.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t points_per_weight = 160;
constexpr unsigned rounds = 21;

class NginxRehash final : public Chooser {
 public:
  explicit NginxRehash(const ClusterMap& map) {
    for (NodeIndex n : owning_nodes(map)) {
      total_ += static_cast<std::uint64_t>(map.nodes()[n].weight);
      nodes_.push_back(n);
      upto_.push_back(total_);
    }
  }

  void candidates(const Query&, std::string_view key, CandidateVisit visit) const noexcept override {
    std::uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      std::array<char, 4> digits;
      const char* end = digits.data();
      if (round > 0) end = std::to_chars(digits.data(), digits.data() + digits.size(), round).ptr;
      const std::string_view number{digits.data(), static_cast<std::size_t>(end - digits.data())};
      sum += crc32(key, crc32(number)) >> 16 & 0x7fff;
      const auto at = std::upper_bound(upto_.begin(), upto_.end(), sum % total_);
      if (!visit(nodes_[static_cast<std::size_t>(at - upto_.begin())])) return;
    }
    for (NodeIndex n : nodes_)
      if (!visit(n)) return;
  }

 private:
  std::vector<NodeIndex> nodes_;
  std::vector<std::uint64_t> upto_;  ///< weights up to and with this node
  std::uint64_t total_ = 0;
};

}  // namespace

NginxServer nginx_server(std::string_view text) noexcept {
  if (text.size() >= 5 && (text.starts_with("unix:") || text.starts_with("UNIX:")))
    return {text.substr(5), {}};
  // From the end: digits and then a colon are a port; anything else first, and there is none.
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ':') return {text.substr(0, i), text.substr(i + 1)};
    if (text[i] < '0' || text[i] > '9') break;
  }
  return {text, {}};
}

void nginx_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  for (NodeIndex n : owning_nodes(map)) {
    const Node& node = map.nodes()[n];
    const NginxServer server = nginx_server(node.label);
    const std::uint32_t base = crc32(server.port, crc32({"\0", 1}, crc32(server.host)));
    std::uint32_t point = 0;
    const std::uint64_t count = points_per_weight * static_cast<std::uint64_t>(node.weight);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::array<char, 4> previous;
      bytes::store_le32(previous.data(), point);
      point = crc32({previous.data(), previous.size()}, base);
      out.push_back({{point}, n});
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const RingPoint& a, const RingPoint& b) { return a.token < b.token; });
  out.erase(std::unique(out.begin(), out.end(),
                        [](const RingPoint& a, const RingPoint& b) { return a.token == b.token; }),
            out.end());
}

std::unique_ptr<const Chooser> nginx_rehash(const ClusterMap& map) {
  return std::make_unique<NginxRehash>(map);
}

}  // namespace arcwise
