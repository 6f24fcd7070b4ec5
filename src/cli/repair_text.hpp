// Ranges to repair once tokens have changed: the note about them, the commands, the JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arcwise/collapse.hpp"
#include "arcwise/repair.hpp"
#include "cli/args.hpp"
#include "cli/output_file.hpp"
#include "cli/session.hpp"
#include "format/json_text.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {

class RepairArgs {
 public:
  void declare(Args& args);
  /// What is wrong with them for a change of this map.
  std::optional<Error> refused(const ClusterMap& map, const Session& session) const;
  bool to_stdout() const { return file == "-"; }

  std::string file, keyspace;
};

struct Repairs {
  bool apply = false;  ///< the map's system repairs ranges at all
  std::vector<RepairRange> ranges;
  std::vector<RepairCommand> commands;
  Share share;
};
Repairs repairs_of(const std::vector<Placement>& stages, const RepairArgs& args);

/// Nothing where no range is to be repaired.
void add_repair_note(Notes& notes, const Repairs& repairs);
Json repair_json(const Repairs& repairs);
/// The commands, as a shell runs them.
std::string repair_script(const RepairArgs& args, const Repairs& repairs);
/// The same to the file asked for; - is standard output, which the verb writes instead of its answer.
std::optional<Error> add_repairs(OutputFiles& files, const RepairArgs& args, const Repairs& repairs);

/// Ranges that each node repairs, before and after; empty for other systems.
struct RepairSessions {
  struct Row {
    std::string name;
    RangesHeld before, after;
  };
  std::vector<Row> rows;  ///< the nodes of both maps, those before first
};
RepairSessions repair_sessions(const Placement& before, const Placement& after);
void add_sessions_note(Notes& notes, const RepairSessions& sessions);
std::string sessions_text(const RepairSessions& sessions, bool colour);
/// `repair_sessions` for every node, and beside the streams in those of `flows` that are there.
void add_sessions(Json& json, const RepairSessions& sessions);

/// What is to be placed anew first, and how much of it the change does: a note, the ranges (`all`: every
/// one), the JSON.
void add_collapsed_note(Notes& notes, const Collapsed& collapsed, Share replaced);
std::string collapsed_text(const Placement& placement, const Collapsed& collapsed, bool all, bool colour);
Json collapsed_json(const Placement& placement, const Collapsed& collapsed, Share replaced);

}  // namespace arcwise::cli
