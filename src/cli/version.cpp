// version
#include "cli/verbs.hpp"
#include "format/json_text.hpp"

namespace arcwise::cli {

Action declare_version(Args&) {
  return [](Session& session) -> Result<int> {
    if (session.json) {
      Json json = answer("version");
      json["version"] = ARCWISE_VERSION;
      session.out.write(dump(json));
    } else {
      session.out.write("arcwise " ARCWISE_VERSION "\n");
    }
    return 0;
  };
}

}  // namespace arcwise::cli
