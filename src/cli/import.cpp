// import: other systems' files as a map.
#include <memory>

#include "cli/cluster_args.hpp"
#include "cli/output_file.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"

namespace arcwise::cli {
namespace {

struct Options {
  ClusterArgs cluster;
  std::string file;
};

}  // namespace

Action declare_import(Args& args) {
  auto options = std::make_shared<Options>();
  options->cluster.declare(args, true);
  args.option("-o,--output", "FILE", options->file, "write the map to this file (standard output)").files();
  return [options](Session& session) -> Result<int> {
    const auto loaded = options->cluster.load();
    if (!loaded) return loaded.error();
    const auto& findings = loaded->cluster.observed.findings;
    std::vector<std::string> files = options->cluster.files;
    files.insert(files.end(), options->cluster.with.begin(), options->cluster.with.end());
    const std::string map = imported_map(loaded->cluster, files);
    if (!session.json)
      for (const Finding& f : findings) session.say(f);
    if (!options->file.empty() && options->file != "-") {
      if (auto error = write_whole(options->file, map, session)) return *error;
      if (!session.json) session.say("wrote " + options->file);
    } else if (!session.json) {
      session.out.write(map);
    }
    if (session.json) {
      session.out.write(dump(import_json(loaded->cluster, map)));
    }
    return 0;
  };
}

}  // namespace arcwise::cli
