#include "cli/change_args.hpp"

#include "cli/cluster_args.hpp"
#include "cli/part_args.hpp"
#include "cli/quantities.hpp"

namespace arcwise::cli {
namespace {

std::vector<std::string> split_tokens(const std::string& text) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (c == ';') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// One "rack=r1" of a node; returns what is wrong with it.
std::string set_field(NewNode& node, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos)
    return "has a part without `=`: write NAME,rack=R,zone=Z,host=H,address=A,weight=W,tokens=T;T";
  const std::string field = word.substr(0, equals), value = word.substr(equals + 1);
  if (field == "rack") {
    node.rack = value;
  } else if (field == "zone") {
    node.zone = value;
  } else if (field == "host") {
    node.host = value;
  } else if (field == "address") {
    node.address = value;
  } else if (field == "tokens") {
    node.tokens = split_tokens(value);
  } else if (field == "weight") {
    const auto weight = read_weight(value);
    if (!weight) return std::string("needs ") + weight_wanted;
    node.weight = *weight;
  } else {
    return "has an unknown field '" + field + "': rack, zone, host, address, weight and tokens are known";
  }
  return "";
}

// "NAME,rack=r1,zone=eu" -> node
std::string read_node(NewNode& node, const std::string& text) {
  const std::vector<std::string> words = split_commas(text);
  node.name = words[0];
  if (node.name.empty()) return "has no name";
  for (std::size_t i = 1; i < words.size(); ++i)
    if (std::string wrong = set_field(node, words[i]); !wrong.empty()) return wrong;
  return "";
}

}  // namespace

void ChangeArgs::declare(Args& args) {
  args.option("--add", "NAME[,rack=R…]", Args::Setter([this](const std::string& text) {
                NewNode node;
                std::string wrong = read_node(node, text);
                if (wrong.empty()) change_.add.push_back(std::move(node));
                note("--add", text);
                return wrong;
              }),
              "add a node; rack, zone, host, address, weight, tokens=T;T after commas")
      .repeatable();
  args.option("--remove", "NAME", Args::Setter([this](const std::string& text) -> std::string {
                change_.remove.push_back(text);
                note("--remove", text);
                return "";
              }),
              "remove a node")
      .repeatable();
  args.option("--weight", "NAME=W", Args::Setter([this](const std::string& text) -> std::string {
                const std::size_t equals = text.rfind('=');
                const auto weight =
                    equals == std::string::npos ? std::nullopt : read_weight(text.substr(equals + 1));
                if (!weight || equals == 0) return std::string("is not NAME=WEIGHT with ") + weight_wanted;
                change_.weight.emplace_back(text.substr(0, equals), *weight);
                note("--weight", text);
                return "";
              }),
              "give a node another weight")
      .repeatable();
  args.option("--replace", "OLD=NEW[,address=A…]",
              Args::Setter([this](const std::string& text) -> std::string {
                const std::size_t equals = text.find('=');
                const std::size_t comma = text.find(',');
                if (equals == 0 || equals == std::string::npos || comma < equals) return "is not OLD=NEW";
                NewNode node;
                std::string wrong = read_node(node, text.substr(equals + 1));
                if (wrong.empty()) change_.replace.emplace_back(text.substr(0, equals), std::move(node));
                note("--replace", text);
                return wrong;
              }),
              "put a new node in an old one's place")
      .repeatable();
  declare_part_rules(args, change_.parts, pins_file_, noting());
}

std::optional<Error> ChangeArgs::read_files() {
  if (change_.parts.rebalance) words_.emplace_back("--rebalance");
  return pins_file_.empty() ? std::nullopt : read_pins(pins_file_, change_.parts, noting());
}

// `--add x --weight x=2` is one change of a new node; anything else is asked of a node once.
std::optional<Error> ChangeArgs::refused() const {
  struct Wish {
    std::string node, option;
  };
  std::vector<Wish> wishes;
  for (const NewNode& node : change_.add) wishes.push_back({node.name, "--add " + node.name});
  for (const auto& [old, node] : change_.replace)
    wishes.push_back({old, "--replace " + old + "=" + node.name});
  for (std::size_t i = 0; i + 1 < words_.size(); ++i)
    if (words_[i] == "--weight")
      wishes.push_back({words_[i + 1].substr(0, words_[i + 1].rfind('=')), "--weight " + words_[i + 1]});
  for (const std::string& name : change_.remove) wishes.push_back({name, "--remove " + name});
  for (const auto& drain : change_.parts.drains) wishes.push_back({drain.node, "--drain " + drain.node});
  for (std::size_t j = 1; j < wishes.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const Wish &a = wishes[i], &b = wishes[j];
      if (a.node != b.node || (a.option.starts_with("--add") && b.option.starts_with("--weight"))) continue;
      if (a.option.starts_with("--add") && b.option.starts_with("--add")) continue;  // told by the map
      return usage_error(a.node, a.option + " and " + b.option + " exclude each other", "give one of them");
    }
  return std::nullopt;
}

}  // namespace arcwise::cli
