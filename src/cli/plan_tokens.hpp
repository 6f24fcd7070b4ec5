// What plan knows of tokens alone: --retoken, and the refusal of another number of tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "arcwise/retoken.hpp"
#include "arcwise/steps.hpp"
#include "cli/args.hpp"
#include "cli/cluster_args.hpp"
#include "cli/repair_text.hpp"
#include "cli/session.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {

class RetokenArgs {
 public:
  void declare(Args& args);
  bool given() const { return !node.empty(); }
  /// The other options are about the node that is named.
  std::optional<Error> refused() const;
  Result<Retoken> run(const ClusterMap& map, std::uint64_t seed) const;

  std::string node, algorithm = "arcwise";
  std::optional<std::uint32_t> tokens;
  std::optional<double> extra_movement;
};

/// The nodes that the map's source saw down.
std::vector<std::string> names_down(const Loaded& loaded);

/// It leaves, and joins again.
StepPlan retoken_steps(const ClusterMap& before, const Retoken& retoken, const CostOptions& cost,
                       const StepOptions& options, std::uint64_t seed);
/// The plan of what changes in the end, with the costs of both steps.
void count_steps(Plan& plan, const StepPlan& steps, const Retoken& retoken);

/// Beside the plan: what is collapsed and comes first, what to repair afterwards, and the new tokens.
class TokenReport {
 public:
  TokenReport(const Loaded& before, const StepPlan& steps, const StepOptions& options,
              const std::optional<Retoken>& retoken, const RepairArgs& args);

  void note_first(Notes& notes, const StepPlan& steps) const;
  void note_after(Notes& notes) const;
  std::string ranges_text(bool all, bool colour) const;
  /// "49 → 50", the ranges that a node repairs; empty for other systems.
  std::string sessions_of(const std::string& node) const;
  std::string lines_text() const;
  void add_keys(Json& json) const;
  std::optional<Error> add_file(OutputFiles& files, const RepairArgs& args) const;
  std::string script(const RepairArgs& args) const;

 private:
  Placement before_;
  std::optional<Retoken> retoken_;
  Repairs repairs_;
  RepairSessions sessions_;
  Collapsed collapsed_;
  Share replaced_;  ///< of what is collapsed
};

/// Refused where a node would have another number of tokens. The way there, a new data center, goes to
/// standard output, as the answer of this verb.
std::optional<Error> refuse_other_count(std::string_view verb, const ClusterMap& before,
                                        const ClusterMap& after, Session& session);

Error too_many_tokens(std::uint32_t tokens);

}  // namespace arcwise::cli
