#include "format/crushmap_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "format/columns.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

using Fault = std::optional<Error>;

constexpr std::string_view advice = "bring the whole output of `crushtool -d`";

class Reader {
 public:
  Fault read(const TextLine& line) {
    line_ = &line;
    const auto cells = words(line.text.substr(0, line.text.find('#')));
    if (cells.empty()) return std::nullopt;
    if (within_ == Within::bucket) return bucket_line(cells);
    if (within_ == Within::rule) return rule_line(cells);
    if (cells[0] == "tunable") return tunable(cells);
    if (cells[0] == "device") return device(cells);
    if (cells[0] == "type") return type(cells);
    if (cells[0] == "choose_args")
      return wrong(
          cells[0], "weight sets (choose_args) replace the weights, and are not read",
          "remove them with `ceph osd crush weight-set rm-compat`, or write the groups as a map of ceph-pgs");
    return open(cells);
  }

  Fault end(const std::vector<TextLine>& lines) const {
    if (within_ == Within::map) return std::nullopt;
    return lines.back().fault_at_end("the file ends within a bucket or rule", std::string(advice));
  }

  CrushText text;

 private:
  enum class Within : std::uint8_t { map, bucket, rule };
  using Cells = std::vector<std::string_view>;

  Error wrong(std::string_view piece, std::string why, std::string_view what_to_do = advice) const {
    return line_->fault(piece, std::move(why), std::string(what_to_do));
  }

  Fault tunable(const Cells& cells) {
    const auto value = cells.size() == 3 ? parse_count(cells[2], ~0U) : std::nullopt;
    if (!value) return wrong(cells.back(), "expected e.g. `tunable choose_total_tries 50`");
    text.tunables[std::string(cells[1])] = *value;
    return std::nullopt;
  }

  // `device 3 osd.3 class ssd`
  Fault device(const Cells& cells) {
    const auto id = cells.size() > 2 ? parse_count(cells[1], 1 << 20) : std::nullopt;
    if (!id || (cells.size() != 3 && (cells.size() != 5 || cells[3] != "class")))
      return wrong(cells.back(), "expected e.g. `device 3 osd.3 class ssd`");
    CrushText::Device out{line_->mark(cells[2]), static_cast<std::uint32_t>(*id),
                          cells.size() == 5 ? std::string(cells[4]) : ""};
    if (!text.devices.emplace(cells[2], std::move(out)).second)
      return wrong(cells[2], "a device of this name is listed already");
    return std::nullopt;
  }

  Fault type(const Cells& cells) {
    const auto id = cells.size() == 3 ? parse_count(cells[1], 1 << 20) : std::nullopt;
    if (!id) return wrong(cells.back(), "expected e.g. `type 1 host`");
    text.types[std::string(cells[2])] = static_cast<std::uint32_t>(*id);
    return std::nullopt;
  }

  // `host node-a {` or `rule replicated_rule {`
  Fault open(const Cells& cells) {
    if (cells.size() != 3 || cells[2] != "{")
      return wrong(cells[0], "expected a bucket or a rule, `TYPE NAME {`");
    if (cells[0] == "rule") {
      within_ = Within::rule;
      text.rules.push_back({line_->mark(cells[1]), std::string(cells[1]), "", {}});
      return std::nullopt;
    }
    if (!text.types.contains(cells[0])) return wrong(cells[0], "no such type is listed");
    CrushText::Bucket bucket;
    bucket.at = line_->mark(cells[1]);
    bucket.type = std::string(cells[0]);
    bucket.name = std::string(cells[1]);
    const auto [at, fresh] = text.buckets.emplace(cells[1], std::move(bucket));
    if (!fresh) return wrong(cells[1], "a bucket of this name is listed already");
    bucket_ = &at->second;
    within_ = Within::bucket;
    return std::nullopt;
  }

  Fault bucket_line(const Cells& cells) {
    if (cells[0] == "}") {
      within_ = Within::map;
      if (bucket_->id == 0) return wrong(cells[0], "the bucket " + bucket_->name + " has no id");
      return std::nullopt;
    }
    if (cells[0] == "id") return bucket_id(cells);
    if (cells[0] == "item") return item(cells);
    if (cells[0] == "alg" && cells.size() == 2) {
      if (cells[1] == "straw2") return std::nullopt;
      return wrong(cells[1], "a bucket kind that is not read",
                   "only straw2 buckets are: `ceph osd crush set-all-straw-buckets-to-straw2`");
    }
    if (cells[0] == "hash" && cells.size() == 2) {
      if (cells[1] == "0" || cells[1] == "rjenkins1") return std::nullopt;
      return wrong(cells[1], "a hash that is not read", "only rjenkins1, 0, is");
    }
    return wrong(cells[0], "expected id, alg, hash, item or }");
  }

  // `id -2 class hdd`
  Fault bucket_id(const Cells& cells) {
    const std::string_view digits = cells.size() > 1 ? cells[1] : cells[0];
    std::int32_t id = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (code != std::errc() || end != digits.data() + digits.size() || id >= 0 ||
        (cells.size() != 2 && (cells.size() != 4 || cells[2] != "class")))
      return wrong(digits, "expected a negative id, such as `id -2` or `id -3 class ssd`");
    if (cells.size() == 2)
      bucket_->id = id;
    else
      bucket_->class_ids[std::string(cells[3])] = id;
    return std::nullopt;
  }

  // `item osd.3 weight 1.819`, perhaps with `pos 3`
  Fault item(const Cells& cells) {
    if (cells.size() < 4 || cells[2] != "weight")
      return wrong(cells.back(), "expected e.g. `item osd.3 weight 1.819`");
    const std::string number(cells[3]);
    char* end = nullptr;
    const double weight = std::strtod(number.c_str(), &end);
    if (*end != '\0' || !std::isfinite(weight) || weight < 0)
      return wrong(cells[3], "expected a weight of 0 or more");
    if (cells.size() > 4 &&
        (cells.size() != 6 || cells[4] != "pos" || parse_count(cells[5], ~0U) != bucket_->items.size()))
      return wrong(cells[4], "expected `pos` and the item's place in the list");
    bucket_->items.push_back({line_->mark(cells[1]), std::string(cells[1]), weight});
    return std::nullopt;
  }

  Fault rule_line(const Cells& cells) {
    CrushText::Rule& rule = text.rules.back();
    if (cells[0] == "}") {
      within_ = Within::map;
    } else if (cells[0] == "step" && cells.size() > 1) {
      CrushText::Step step{line_->mark(cells[1]), {}};
      for (std::size_t i = 1; i < cells.size(); ++i) step.words.emplace_back(cells[i]);
      rule.steps.push_back(std::move(step));
    } else if (cells[0] == "type" && cells.size() == 2) {
      rule.type = std::string(cells[1]);
    } else if (cells.size() != 2 || (cells[0] != "id" && cells[0] != "ruleset" && cells[0] != "min_size" &&
                                     cells[0] != "max_size")) {
      return wrong(cells[0], "expected id, type, step or }");
    }
    return std::nullopt;
  }

  Within within_ = Within::map;
  CrushText::Bucket* bucket_ = nullptr;
  const TextLine* line_ = nullptr;
};

}  // namespace

Result<CrushText> read_crushmap(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  Reader reader;
  for (const TextLine& line : *lines)
    if (auto fault = reader.read(line)) return *fault;
  if (auto fault = reader.end(*lines)) return *fault;
  if (reader.text.rules.empty()) return no_rows(*lines, "no rule in this file", std::string(advice));
  return std::move(reader.text);
}

}  // namespace arcwise
