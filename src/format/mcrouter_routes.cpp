// A walk over mcrouter's routes. "A|B|C" is short for {type: A} over {type: B} over C.
#include <algorithm>
#include <array>

#include "format/mcrouter.hpp"
#include "format/proxy_import.hpp"

namespace arcwise {
namespace {

using Fault = std::optional<Error>;
using Kind = YamlNode::Kind;

constexpr std::size_t most_depth = 64;
constexpr std::size_t most_uses = 10'000;

class Walk {
 public:
  Walk(const Source& source, const YamlNode& root, std::vector<PoolUse>& out)
      : source_(source), handles_(root.find("named_handles")), out_(out) {}

  Fault visit(const YamlNode& node) {
    if (++depth_ > most_depth || out_.size() > most_uses)
      return fault_at(source_, node.at, shown(source_, node),
                      "routes stand too deep in each other, or a named one in itself", "take the loop out");
    Fault fault;
    if (node.is(Kind::sequence))
      fault = visit_all(node);
    else if (node.is(Kind::map))
      fault = visit_map(node);
    else if (node.is(Kind::scalar))
      fault = visit_text(node, node.text);
    --depth_;
    return fault;
  }

 private:
  Fault visit_all(const YamlNode& node) {
    for (const YamlNode& item : node.items)
      if (auto fault = visit(item)) return fault;
    return std::nullopt;
  }

  void use(PoolUse found) {
    found.below = below_;
    out_.push_back(std::move(found));
  }

  Fault below(const std::string& type, const YamlNode& node, std::string_view rest) {
    below_.push_back(type);
    Fault fault = rest.empty() ? visit_all(node) : visit_text(node, rest);
    below_.pop_back();
    return fault;
  }

  Fault visit_text(const YamlNode& node, std::string_view text) {
    if (text.starts_with('@') || text.find('%') != std::string_view::npos)
      return fault_at(source_, node.at, node.text, "a macro of mcrouter, which is not expanded here",
                      "write what it stands for");
    const std::size_t bar = text.find('|');
    const std::string type(text.substr(0, bar));
    if (bar == std::string_view::npos) return visit_handle(text);
    const std::string_view rest = text.substr(bar + 1);
    if (type == "PoolRoute" || type == "Pool") {
      use({std::string(rest), &node, nullptr, nullptr, type == "PoolRoute", {}});
      return std::nullopt;
    }
    if (type == "HashRoute" && rest.starts_with("Pool|")) {
      use({std::string(rest.substr(5)), &node, nullptr, nullptr, true, {}});
      return std::nullopt;
    }
    return below(type, node, rest);
  }

  // A route that is defined by name under named_handles.
  Fault visit_handle(std::string_view name) {
    if (!handles_) return std::nullopt;
    if (handles_->is(Kind::map)) {
      const YamlNode* handle = handles_->find(name);
      return handle ? visit(*handle) : std::nullopt;
    }
    for (const YamlNode& handle : handles_->items) {
      const YamlNode* its = handle.find("name");
      if (its && its->text == name) return visit(handle);
    }
    return std::nullopt;
  }

  Fault visit_map(const YamlNode& node) {
    const YamlNode* type = node.find("type");
    if (!type) return visit_all(node);
    if (type->text == "PoolRoute") return visit_pool_route(node, *type);
    const YamlNode* children = node.find("children");
    if (type->text == "HashRoute" && children && children->text.starts_with("Pool|")) {
      use({children->text.substr(5), &node, nullptr, &node, true, {}});
      return std::nullopt;
    }
    return below(type->text, node, {});
  }

  // Settings that take keys elsewhere than the hash does.
  Fault visit_pool_route(const YamlNode& node, const YamlNode& type) {
    static constexpr std::array<std::string_view, 5> moves{
        "bucketize", "useBucketHashSelector", "distribution_enabled", "shard_splits", "weights_rv"};
    for (const std::string_view name : moves)
      if (const YamlNode* item = node.find(name); item && item->text != "false")
        return fault_at(source_, item->key_at, item->key,
                        "this setting of a PoolRoute changes which server a key goes to",
                        "such routes are not read");
    const YamlNode* pool = node.find("pool");
    const YamlNode* name = pool && pool->is(Kind::map) ? pool->find("name") : pool;
    if (!name || !name->is(Kind::scalar))
      return fault_at(source_, type.at, type.text, "a PoolRoute without the name of its pool",
                      "write pool: NAME");
    use({name->text, &node, pool->is(Kind::map) ? pool : nullptr, node.find("hash"), true, {}});
    return std::nullopt;
  }

  const Source& source_;
  const YamlNode* handles_;
  std::vector<PoolUse>& out_;
  std::vector<std::string> below_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string without_comments(std::string_view text) {
  std::string out(text);
  bool in_text = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (in_text) {
      if (out[i] == '\\')
        ++i;
      else
        in_text = out[i] != '"';
    } else if (out[i] == '"') {
      in_text = true;
    } else if (out[i] == '/' && i + 1 < out.size() && (out[i + 1] == '/' || out[i + 1] == '*')) {
      const bool block = out[i + 1] == '*';
      std::size_t end = text.find(block ? "*/" : "\n", i + 2);
      end = end == std::string_view::npos ? out.size() : end + (block ? 2 : 0);
      for (; i < end; ++i)
        if (out[i] != '\n' && out[i] != '\r') out[i] = ' ';
      --i;
    }
  }
  return out;
}

std::optional<Error> find_pool_uses(const Source& source, const YamlNode& root, std::vector<PoolUse>& out) {
  Walk walk(source, root, out);
  if (const YamlNode* route = root.find("route")) return walk.visit(*route);
  const YamlNode* routes = root.find("routes");
  if (!routes)
    return fault_at(source, root.at, text_at(source, root.at), "no `route` and no `routes`",
                    "bring the whole configuration");
  for (const YamlNode& item : routes->items) {
    const YamlNode* route = item.is(Kind::map) ? item.find("route") : nullptr;  // {aliases: […], route: …}
    if (auto fault = walk.visit(route ? *route : item)) return fault;
  }
  return std::nullopt;
}

}  // namespace arcwise
