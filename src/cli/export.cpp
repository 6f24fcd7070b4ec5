// export: a map as another system's configuration.
#include <memory>

#include "cli/cluster_args.hpp"
#include "cli/output_file.hpp"
#include "cli/verbs.hpp"
#include "format/json_text.hpp"

namespace arcwise::cli {
namespace {

struct Options {
  ClusterArgs cluster;
  std::string file, format;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatInfo& format : export_formats()) names.emplace_back(format.name);
  return names;
}

}  // namespace

Action declare_export(Args& args) {
  auto options = std::make_shared<Options>();
  options->cluster.declare(args, true);
  args.option("--to", "FORMAT", options->format, "whose configuration to write").one_of(format_names());
  args.option("-o,--output", "FILE", options->file, "write to this file (standard output)").files();
  return [options](Session& session) -> Result<int> {
    if (options->format.empty()) {
      std::string known;
      for (const std::string& name : format_names()) known += (known.empty() ? "" : ", ") + name;
      return usage_error("", "export needs a format", "give --to with one of: " + known);
    }
    const auto sources = options->cluster.read();
    if (!sources) return sources.error();
    const auto cluster = parse(*sources, options->cluster.options);
    if (!cluster) return cluster.error();
    const auto text = export_map(cluster->map, options->format);
    if (!text) return text.error();
    if (!session.json)
      for (const Finding& f : cluster->observed.findings)
        if (f.severity != Finding::Severity::info) session.say(f);
    const bool to_file = !options->file.empty() && options->file != "-";
    if (to_file)
      if (auto error = write_whole(options->file, *text, session)) return *error;
    if (session.json) {
      Json json = answer("export");
      json["format"] = options->format;
      if (to_file) json["output"] = options->file;
      json["text"] = *text;
      session.out.write(dump(json));
    } else if (to_file) {
      session.say("wrote " + options->file);
    } else {
      session.out.write(*text);
    }
    return 0;
  };
}

}  // namespace arcwise::cli
