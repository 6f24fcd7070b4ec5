// draw: pictures.
#include <memory>

#include "cli/cluster_args.hpp"
#include "cli/output_file.hpp"
#include "cli/verbs.hpp"
#include "format/json_text.hpp"
#include "format/svg_cluster.hpp"
#include "format/table_numbers.hpp"

namespace arcwise::cli {
namespace {

struct Options {
  ClusterArgs cluster;
  std::string file, title;
  std::string kind = "both";
};

PictureKind kind_of(const std::string& name) {
  return name == "ring"        ? PictureKind::ring
         : name == "ownership" ? PictureKind::ownership
                               : PictureKind::both;
}

std::string subtitle(const Loaded& loaded, const Ownership& own) {
  const ClusterMap& map = loaded.cluster.map;
  std::string out = "recipe " + std::string(map.placement().recipe->name);
  if (map.epoch()) out += ", epoch " + std::to_string(*map.epoch());
  out += ", fingerprint " + fingerprints(loaded.placement).fingerprint;
  return out + "; largest " + times(own.balance.max_over_target) + " its target, usable capacity " +
         per_cent(own.balance.usable_capacity);
}

}  // namespace

Action declare_draw(Args& args) {
  auto options = std::make_shared<Options>();
  options->cluster.declare(args, true);
  args.option("-o,--output", "FILE", options->file, "write the SVG to this file (standard output)").files();
  args.option("--kind", "KIND", options->kind, "what to draw: ring, ownership or both (both)")
      .one_of({"ring", "ownership", "both"});
  args.option("--title", "TEXT", options->title, "title of the picture (the cluster's name)");
  return [options](Session& session) -> Result<int> {
    const auto loaded = options->cluster.load();
    if (!loaded) return loaded.error();
    if (options->kind == "ring" && !loaded->placement.traits().enumerable)
      return usage_error(std::string(loaded->cluster.map.placement().recipe->name),
                         "this recipe has no ring to draw", "draw --kind ownership");
    const Ownership own = ownership(loaded->placement);
    const std::string svg =
        cluster_svg(loaded->placement, own, loaded->cluster.observed.down,
                    {kind_of(options->kind), options->title.empty() ? loaded->title : options->title,
                     subtitle(*loaded, own)});
    if (options->file.empty() || options->file == "-") {
      session.out.write(svg);
      return 0;
    }
    if (auto error = write_whole(options->file, svg, session)) return *error;
    if (session.json) {
      Json json = answer("draw");
      json["output"] = options->file;
      json["bytes"] = svg.size();
      session.out.write(dump(json));
    } else {
      session.say("wrote " + options->file);
    }
    return 0;
  };
}

}  // namespace arcwise::cli
