// ranges: every range with its share and owners ("describe ring"). Written range by range: a large ring has
// 256,000.
#include <algorithm>
#include <array>
#include <memory>

#include "cli/cluster_args.hpp"
#include "cli/verbs.hpp"
#include "format/json_text.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

struct Range {
  Region region;
  double share = 0;
  std::span<const NodeIndex> owners;
};

template <class Visit>
void each_range(const Placement& placement, Session& session, Visit&& visit) {
  std::array<NodeIndex, max_replicas> owners;
  for (std::size_t i = 0; i < placement.region_count() && !session.out.failed(); ++i) {
    const Region region = placement.region(i);
    const std::size_t n = placement.region_owners(i, {}, owners);
    visit(Range{region, share_of(placement.map().domain(), region).value(),
                std::span<const NodeIndex>(owners.data(), n)});
    session.out.spill();
  }
}

// A field of each owner, in owner order: racks[i] is the rack of owners[i].
template <class Field>
std::vector<std::string_view> each_owner(const ClusterMap& map, const Range& range, Field field) {
  std::vector<std::string_view> out;
  for (NodeIndex n : range.owners) out.push_back(field(map.nodes()[n]));
  return out;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::string_view w : words) {
    if (!out.empty()) out += ',';
    out += w;
  }
  return out;
}

void append_array(std::string& out, std::string_view key, const std::vector<std::string_view>& words) {
  out += ", \"";
  out += key;
  out += "\": [";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i) out += ", ";
    append_json_string(out, words[i]);
  }
  out += ']';
}

std::string_view name_of(const Node& n) {
  return n.name;
}
std::string_view host_of(const Node& n) {
  return n.host;
}
std::string_view rack_of(const Node& n) {
  return n.rack;
}
std::string_view zone_of(const Node& n) {
  return n.zone;
}

void write_json(const Placement& placement, Session& session) {
  const ClusterMap& map = placement.map();
  std::string& out = session.out.buffer();
  out += "{\"schema\": \"arcwise/ranges/v1\", \"ranges\": [";
  bool first = true;
  each_range(placement, session, [&](const Range& r) {
    out += first ? "\n" : ",\n";
    first = false;
    out += "{\"after\": ";
    append_json_string(out, to_text(map.space(), r.region.after));
    out += ", \"upto\": ";
    append_json_string(out, to_text(map.space(), r.region.upto));
    out += ", \"share\": " + Json(r.share).dump();
    append_array(out, "owners", each_owner(map, r, name_of));
    append_array(out, "hosts", each_owner(map, r, host_of));
    append_array(out, "racks", each_owner(map, r, rack_of));
    append_array(out, "zones", each_owner(map, r, zone_of));
    out += '}';
  });
  out += "\n]}\n";
}

// Two passes: the widths first, then the lines, so that nothing but the current range is held.
void write_table(const Placement& placement, Session& session) {
  const ClusterMap& map = placement.map();
  std::size_t token_width = 5, owners_width = 6;
  double smallest = 1;
  each_range(placement, session, [&](const Range& r) {
    token_width = std::max(token_width, to_text(map.space(), r.region.upto).size());
    owners_width = std::max(owners_width, text_width(joined(each_owner(map, r, name_of))));
    if (r.share > 0) smallest = std::min(smallest, r.share);
  });
  const int digits = percent_digits(smallest);
  const bool racks =
      std::any_of(map.nodes().begin(), map.nodes().end(), [](const Node& n) { return !n.rack.empty(); });
  std::string& out = session.out.buffer();
  const auto line = [&](std::string_view after, std::string_view upto, std::string_view share,
                        std::string_view owners, std::string_view rack_names) {
    const std::size_t share_width = static_cast<std::size_t>(digits) + 6;
    out.append(token_width - std::min(token_width, after.size()), ' ').append(after).append("  ");
    out.append(token_width - std::min(token_width, upto.size()), ' ').append(upto).append("  ");
    out.append(share_width - std::min(share_width, share.size()), ' ')
        .append(share)
        .append("  ")
        .append(owners);
    if (racks)
      out.append(owners_width - std::min(owners_width, text_width(owners)) + 2, ' ').append(rack_names);
    out += '\n';
  };
  line("after", "upto", "share", "owners", "racks");
  each_range(placement, session, [&](const Range& r) {
    const std::string owners = joined(each_owner(map, r, name_of));
    line(to_text(map.space(), r.region.after), to_text(map.space(), r.region.upto), per_cent(r.share, digits),
         owners.empty() ? "–" : owners, joined(each_owner(map, r, rack_of)));
  });
}

}  // namespace

Action declare_ranges(Args& args) {
  auto cluster = std::make_shared<ClusterArgs>();
  cluster->declare(args, true);
  return [cluster](Session& session) -> Result<int> {
    const auto loaded = cluster->load();
    if (!loaded) return loaded.error();
    if (!loaded->placement.traits().enumerable)
      return usage_error(std::string(loaded->cluster.map.placement().recipe->name),
                         "this recipe has no ranges to list", "`arcwise locate` answers for single keys");
    if (session.json) {
      write_json(loaded->placement, session);
    } else {
      write_table(loaded->placement, session);
    }
    return 0;
  };
}

}  // namespace arcwise::cli
