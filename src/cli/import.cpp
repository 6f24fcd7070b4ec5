// import: other systems' files as a map.
#include <memory>

#include "cli/cluster_args.hpp"
#include "cli/output_file.hpp"
#include "cli/verbs.hpp"
#include "format/json_text.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

struct Options {
  ClusterArgs cluster;
  std::string file;
};

std::string header(const Loaded& loaded, const ClusterArgs& from) {
  if (loaded.cluster.observed.format == "arcwise") return "";  // importing twice gives the same bytes
  std::string out = "# Imported from " + loaded.cluster.observed.format + ':';
  for (const std::string& file : from.files) out += ' ' + printable(file);
  for (const std::string& file : from.with) out += ' ' + printable(file);
  return out + '\n';
}

}  // namespace

Action declare_import(Args& args) {
  auto options = std::make_shared<Options>();
  options->cluster.declare(args, true);
  args.option("-o,--output", "FILE", options->file, "write the map to this file (standard output)").files();
  return [options](Session& session) -> Result<int> {
    const auto loaded = options->cluster.load();
    if (!loaded) return loaded.error();
    const auto& findings = loaded->cluster.observed.findings;
    const std::string map = header(*loaded, options->cluster) + write_map(loaded->cluster.map);
    if (!session.json)
      for (const Finding& f : findings) session.say(f);
    if (!options->file.empty() && options->file != "-") {
      if (auto error = write_whole(options->file, map, session)) return *error;
      if (!session.json) session.say("wrote " + options->file);
    } else if (!session.json) {
      session.out.write(map);
    }
    if (session.json) {
      Json json = answer("import");
      json["format"] = loaded->cluster.observed.format;
      json["map"] = map;
      json["findings"] = Json::array();
      for (const Finding& f : findings) json["findings"].push_back(to_json(f));
      session.out.write(dump(json));
    }
    return 0;
  };
}

}  // namespace arcwise::cli
