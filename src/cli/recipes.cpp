// recipes: how each system places, and what that promises.
#include <memory>

#include "arcwise/bounded.hpp"
#include "cli/verbs.hpp"
#include "format/json_text.hpp"
#include "format/table_text.hpp"
#include "place/methods.hpp"

namespace arcwise::cli {
namespace {

struct TraitName {
  std::string_view name;
  bool Traits::* field;
  std::string_view meaning;
};
constexpr TraitName trait_names[] = {
    {"enumerable", &Traits::enumerable, "its ranges can be listed exactly"},
    {"monotone_add", &Traits::monotone_add, "a node added takes keys; no key moves between the others"},
    {"monotone_remove", &Traits::monotone_remove, "a node removed gives up its keys; no other key moves"},
    {"any_order_removal", &Traits::any_order_removal, "any node may leave, not only the last one listed"},
    {"weighted", &Traits::weighted, "expected shares follow the weights"},
    {"order_free", &Traits::order_free, "the order of the node list does not matter"},
    {"mask_is_removal", &Traits::mask_is_removal, "skipping a node answers as if it had been removed"},
};

Traits traits_of(const Recipe& recipe) {
  const Method* method = recipe.no_placement.empty() ? find_method(recipe.method) : nullptr;
  return method ? method->traits : Traits{};
}

// With copies on different hosts, racks or zones.
Traits traits_across_groups(const Recipe& recipe) {
  const Method* method = recipe.no_placement.empty() ? find_method(recipe.method) : nullptr;
  ReplicaPolicy policy;
  policy.across = Across::rack;
  return method ? arcwise::traits_of(*method, policy) : Traits{};
}

std::string hashes_of(const Recipe& recipe) {
  std::string out(info(recipe.hash).name);
  if (recipe.hash_open || !recipe.hashes.empty()) out += " or others";
  return out;
}

Json choices_json(const Recipe& recipe) {
  Json json = Json::array();
  if (recipe.hash_open) {
    for (const KeyHashInfo& h : key_hashes())
      if (h.open) json.push_back(h.name);
  } else if (!recipe.hashes.empty()) {
    for (KeyHashId id : recipe.hashes) json.push_back(info(id).name);
  } else {
    json.push_back(info(recipe.hash).name);
  }
  return json;
}

Json traits_json(const Traits& traits) {
  Json json = Json::object();
  for (const TraitName& t : trait_names) json[std::string(t.name)] = traits.*t.field;
  return json;
}

Json recipe_json(const Recipe& recipe) {
  Json json = {{"name", recipe.name},
               {"used_by", recipe.used_by},
               {"hash", info(recipe.hash).name},
               {"hashes", choices_json(recipe)},
               {"ring_bits", recipe.ring_bits ? recipe.ring_bits : info(recipe.hash).bits},
               {"default_tokens", recipe.default_tokens},
               {"given_allowed", recipe.given_allowed}};
  json["settings"] = Json::array();
  for (const SettingInfo& s : recipe.settings)
    json["settings"].push_back({{"name", s.name}, {"preset", s.preset}, {"meaning", s.meaning}});
  const Traits traits = traits_of(recipe);
  json["traits"] = traits_json(traits);
  json["traits_across_groups"] = traits_json(traits_across_groups(recipe));
  json["traits_bounded"] = traits_json(traits_under(Bound{}, traits));
  return json;
}

std::string text_answer(bool colour) {
  Notes uses;
  Table table({{"recipe"},
               {"key hash"},
               {"ranges"},
               {"adds"},
               {"removes"},
               {"any"},
               {"weights"},
               {"order"},
               {"masks"}});
  const auto mark = [](bool yes) { return yes ? Cell("yes", Tone::good) : Cell("–", Tone::faint); };
  for (const Recipe& r : recipes()) {
    const Traits t = traits_of(r);
    uses.line(std::string(r.name), std::string(r.used_by));
    table.row({std::string(r.name), hashes_of(r), mark(t.enumerable), mark(t.monotone_add),
               mark(t.monotone_remove), mark(t.any_order_removal), mark(t.weighted), mark(t.order_free),
               mark(t.mask_is_removal)});
  }
  std::string lost;
  for (const Recipe& r : recipes())
    if (traits_of(r).monotone_add && !traits_across_groups(r).monotone_add)
      lost += (lost.empty() ? "" : ", ") + std::string(r.name);
  Notes columns;
  columns.line("ranges", "its ranges can be listed, so that studies are exact; others are sampled");
  columns.line("adds", std::string(trait_names[1].meaning));
  columns.line("removes", std::string(trait_names[2].meaning));
  columns.line("any", std::string(trait_names[3].meaning));
  columns.line("weights", std::string(trait_names[4].meaning));
  columns.line("order", std::string(trait_names[5].meaning));
  columns.line("masks", std::string(trait_names[6].meaning));
  columns.line("copies", "across hosts, racks or zones " + lost + " promise neither adds, removes nor any");
  columns.line("bounded",
               "under bounded loads weights, order and masks stay as they are, and the others are lost");
  return uses.text(colour) + '\n' + table.text(colour) + '\n' + columns.text(colour);
}

}  // namespace

Action declare_recipes(Args&) {
  return [](Session& session) -> Result<int> {
    if (!session.json) {
      session.out.write(text_answer(session.colour));
      return 0;
    }
    Json json = answer("recipes");
    json["recipes"] = Json::array();
    for (const Recipe& r : recipes()) json["recipes"].push_back(recipe_json(r));
    session.out.write(dump(json));
    return 0;
  };
}

}  // namespace arcwise::cli
