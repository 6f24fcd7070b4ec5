// From files to one cluster: each text is recognised, and the importer of the family that they belong to
// reads them.
#include "format/importer.hpp"
#include "format/unsupported.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 30;

std::string format_names() {
  std::string list;
  for (const FormatInfo& format : formats()) list += (list.empty() ? "" : ", ") + std::string(format.name);
  return list;
}

Error fault(const std::string& file, std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, {file, 0, 0}, std::move(what), std::move(why), std::move(advice)};
}

// The format of a source: `told` where the user names it, else recognised; further files may be of any format
// of the family, or else of the one named.
Result<const Importer*> importer_of(const Source& source, const Importer* told, bool first) {
  if (source.bytes.find_first_not_of(" \t\r\n") == std::string::npos)
    return fault(source.name, "", "the file is empty",
                 "save the output again, and look whether the command failed");
  if (told && first) return told;
  if (const Importer* found = find_importer(recognise(source.bytes))) return found;
  if (told) return told;
  if (const Unsupported* other = unsupported(source.bytes))
    return fault(source.name, "", "this is " + std::string(other->what) + ", which is not read",
                 std::string(other->bring));
  return fault(source.name, "", "the format is not recognised", "name it with --from: " + format_names());
}

std::optional<Error> stands_beside(const Source& source, const Importer& its, const Source& base,
                                   const Importer& first) {
  if (&its != &first && (its.family.empty() || its.family != first.family))
    return fault(source.name, "",
                 "this is " + std::string(its.info.name) + ", and " + base.name + " is " +
                     std::string(first.info.name),
                 "several files must be outputs of one cluster");
  if (!first.family.empty()) return std::nullopt;
  return fault(source.name, "", "a second file beside " + base.name,
               "a file of the format " + std::string(first.info.name) + " stands alone");
}

std::string formats_with_pools() {
  std::string list;
  for (const Importer& importer : importers())
    if (importer.has_pools) list += (list.empty() ? "" : ", ") + std::string(importer.info.name);
  return list;
}

}  // namespace

Result<Cluster> parse(std::span<const Source> sources, const LoadOptions& options) {
  if (sources.empty()) return fault("", "", "no file", "name a map or another system's output");
  const Importer* told = find_importer(options.from);
  if (!options.from.empty() && !told)
    return fault("", options.from, "no such format", "the formats are: " + format_names());
  std::vector<const Importer*> found;
  for (const Source& source : sources) {
    const auto importer = importer_of(source, told, found.empty());
    if (!importer) return importer.error();
    found.push_back(*importer);
  }
  std::vector<std::string_view> names{found.front()->info.name};
  for (std::size_t i = 1; i < sources.size(); ++i) {
    if (auto error = stands_beside(sources[i], *found[i], sources[0], *found[0])) return *error;
    names.push_back(found[i]->info.name);
  }
  if (!options.pool.empty() && !found.front()->has_pools)
    return fault(sources[0].name, options.pool,
                 "only files of these formats have pools: " + formats_with_pools(), "drop --pool");
  return found.front()->read({sources, names, options});
}

Result<Cluster> load(std::span<const std::string> paths, const LoadOptions& options) {
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    auto bytes = read_file(path, max_file_bytes);
    if (!bytes) return bytes.error();
    sources.push_back({path == "-" ? "<stdin>" : path, std::move(*bytes)});
  }
  return parse(sources, options);
}

}  // namespace arcwise
