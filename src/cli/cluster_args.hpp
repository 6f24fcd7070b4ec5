// The arguments that name a cluster, and what they load to.
#pragma once

#include <string>
#include <vector>

#include "arcwise/check.hpp"
#include "arcwise/format.hpp"
#include "arcwise/ownership.hpp"
#include "arcwise/placement.hpp"
#include "cli/args.hpp"
#include "cli/session.hpp"

namespace arcwise::cli {

/// A map with its compiled placement and a name to call it by.
struct Loaded {
  Cluster cluster;
  Placement placement;
  std::string title;  ///< the cluster's name, else the file's
};

class ClusterArgs {
 public:
  /// MAP, and the options that say how to read it. `several`: more files of the same cluster may follow.
  void declare(Args& args, bool several);
  /// The same for a verb whose operands are declared elsewhere; `suffix` tells two clusters' options apart
  /// ("-b").
  void declare_reading(Args& args, std::string_view suffix = "");
  /// --replicas and --across, which override what the file says.
  void declare_policy(Args& args);

  std::vector<std::string> files;
  std::vector<std::string> with;
  LoadOptions options;

  Result<std::vector<Source>> read() const;
  Result<Loaded> load() const;
  /// What the file says, whatever --replicas asks for.
  static Result<Loaded> compiled(Result<Cluster> cluster, const std::string& file);
};

/// `--down A,B`: nodes to take as down. Names may also be given as addresses, where those are unambiguous.
class DownArgs {
 public:
  void declare(Args& args, std::string_view help);
  bool given() const { return !names_.empty(); }
  Result<NodeSet> resolve(const ClusterMap& map) const;
  /// Those, and what the file itself shows as down: nobody else decides who is up.
  Result<NodeSet> with_observed(const Cluster& cluster) const;

 private:
  std::vector<std::string> names_;
};

/// Node names for an error's advice: the nearest one, or the first few.
std::string known_nodes(const ClusterMap& map, std::string_view near);

/// "3 copies across racks", "1 copy", "eu 3, us 2 copies across racks".
std::string describe_policy(const ReplicaPolicy& policy);

/// " (from 1,000,000 sampled keys, ± 0.1 %)" where figures are sampled, else empty.
std::string sampled_text(const std::optional<Sampled>& sampled);

/// The words between commas.
std::vector<std::string> split_commas(std::string_view text);

inline Error usage_error(std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, {}, std::move(what), std::move(why), std::move(advice)};
}

}  // namespace arcwise::cli
