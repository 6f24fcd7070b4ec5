// Malformed maps, one mistake each: the error names the file, the place, the text that stands there, and why.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "arcwise/format.hpp"

namespace arcwise {
namespace {

using namespace std::string_view_literals;

struct Malformed {
  std::string_view file;
  std::uint32_t line, column;
  std::string_view what;
  std::string_view why;  ///< a part of it
};

// clang-format off
constexpr Malformed table[] = {
    {"empty.yaml", 1, 1, ""sv, "the file is empty"},
    {"only-comment.yaml", 1, 1, "# nothing"sv, "the file is empty"},
    {"nul.yaml", 2, 12, "\000rts"sv, "a control character"},
    {"escape-sequence.yaml", 2, 10, "\033[31mred"sv, "a control character"},
    {"lone-cr.yaml", 1, 11, "\015"sv, "a control character"},
    {"latin1.yaml", 2, 13, "\351"sv, "not valid UTF-8"},
    {"utf8-surrogates.yaml", 2, 10, "\355\240\275\355\270\200"sv, "not valid UTF-8"},
    {"overlong-slash.yaml", 2, 11, "\300\257b"sv, "not valid UTF-8"},
    {"utf16.yaml", 1, 1, "\377\376a\000r\000c\000w\000i\000s\000e\000:\000 \0001\000"sv, "UTF-16"},
    {"c1-control.yaml", 2, 11, "\302\205b"sv, "a control character"},
    {"truncated-flow.yaml", 5, 5, "{name: b, weight"sv, "not closed"},
    {"truncated-list.yaml", 3, 8, "[{name: a}, {name: b},"sv, "not closed"},
    {"truncated-single-quote.yaml", 4, 11, "'a"sv, "does not end on its line"},
    {"truncated-double-quote.yaml", 4, 11, "\"a"sv, "a quote is not closed"},
    {"comma-missing.yaml", 4, 5, "{name: a weight: 2}"sv, "a comma is missing"},
    {"unquoted-colon.yaml", 2, 11, ": b"sv, "not valid YAML: illegal map value"},
    {"tab-indent.yaml", 3, 1, "\011recipe: ring"sv, "a tab in the indentation"},
    {"bad-escape.yaml", 4, 14, "\\q\"}"sv, "unknown escape character"},
    {"bad-bracket.yaml", 3, 8, "]"sv, "not valid YAML: illegal flow end"},
    {"at-sign.yaml", 2, 10, "@home"sv, "not valid YAML"},
    {"two-documents.yaml", 5, 1, "---"sv, "a second document"},
    {"second-empty-document.yaml", 6, 1, "---"sv, "a second document"},
    {"anchor.yaml", 4, 5, "&base {name: a}"sv, "anchors, aliases and tags"},
    {"alias.yaml", 4, 21, "*r1}"sv, "anchors, aliases and tags"},
    {"alias-bomb.yaml", 1, 4, "&a [x, x, x, x, x, x, x, x, x]"sv, "anchors, aliases and tags"},
    {"tag.yaml", 4, 12, "!!binary YQ==}"sv, "anchors, aliases and tags"},
    {"bare-tag.yaml", 4, 12, "! a}"sv, "anchors, aliases and tags"},
    {"block-text.yaml", 2, 10, "|"sv, "does not end on its line"},
    {"folded-text.yaml", 2, 10, "carts"sv, "does not end on its line"},
    {"quote-over-lines.yaml", 2, 10, "\"carts"sv, "does not end on its line"},
    {"list-as-key.yaml", 2, 1, "[a, b]: c"sv, "a list or map stands where a key is needed"},
    {"no-key.yaml", 2, 1, ": c"sv, "a key is missing"},
    {"escaped-control.yaml", 4, 12, "a\007"sv, "a control character"},
    {"truncated.json", 3, 12, "{\"name\": \"a\""sv, "not valid JSON: unexpected end of input"},
    {"wrong-bracket.json", 2, 25, "}"sv, "not valid JSON"},
    {"open-quote.json", 2, 21, "\"a}]}"sv, "missing closing quote"},
    {"lone-surrogate.json", 2, 23, "\\ud83d\"}]}"sv, "surrogate"},
    {"duplicate-key.json", 2, 26, "name"sv, "a key is given twice: first on line 2, column 13"},
    {"two-values.json", 2, 1, "{}"sv, "not valid JSON"},
    {"boolean-name.json", 2, 21, "true"sv, "`name` is text, and this is a truth value"},
    {"null-rack.json", 2, 26, "\"rack\": null}]}"sv, "`rack` has no value"},
    {"quoted-weight.json", 2, 36, "1"sv, "`weight` is a number, and this is text in quotes"},
    {"escaped-nul.json", 2, 21, "a\000b"sv, "a control character"},
    {"not-a-map.yaml", 1, 1, "- arcwise: 1"sv, "a map file is a map of keys"},
    {"just-a-word.yaml", 1, 1, "arcwise:1"sv, "a map file is a map of keys"},
    {"no-version.yaml", 1, 1, "placement: {recipe: ring}"sv, "the key `arcwise` is missing"},
    {"version-2.yaml", 1, 10, "2"sv, "this format version is not known"},
    {"version-text.yaml", 1, 10, "one"sv, "`arcwise` is a whole number"},
    {"version-quoted.yaml", 1, 10, "1"sv, "text in quotes"},
    {"no-placement.yaml", 1, 1, "arcwise: 1"sv, "the key `placement` is missing"},
    {"no-nodes.yaml", 1, 1, "arcwise: 1"sv, "the key `nodes` is missing"},
    {"no-recipe.yaml", 2, 12, "{hash: xxh3}"sv, "the key `recipe` is missing"},
    {"no-name.yaml", 5, 5, "{weight: 2}"sv, "the key `name` is missing"},
    {"empty-name.yaml", 4, 12, "\"\""sv, "an empty name"},
    {"no-node.yaml", 3, 8, "[]"sv, "the map has no node"},
    {"nodes-null.yaml", 3, 1, "nodes:"sv, "`nodes` has no value"},
    {"nodes-map.yaml", 3, 8, "{a: {weight: 1}}"sv, "`nodes` is a list, and this is a map"},
    {"node-text.yaml", 4, 5, "a"sv, "this is a map, and this is a single value"},
    {"placement-text.yaml", 2, 12, "ring"sv, "`placement` is a map, and this is a single value"},
    {"rack-list.yaml", 4, 21, "[r1, r2]}"sv, "`rack` is a single value, and this is a list"},
    {"tokens-text.yaml", 4, 23, "0f"sv, "`tokens` is a list, and this is a single value"},
    {"unknown-key.yaml", 3, 1, "replica"sv, "unknown key"},
    {"misspelt-key.yaml", 4, 15, "wieght"sv, "unknown key"},
    {"colon-without-space.yaml", 4, 15, "rack:r1"sv, "unknown key"},
    {"duplicate-top-key.yaml", 5, 1, "placement"sv, "a key is given twice: first on line 2, column 1"},
    {"duplicate-node-key.yaml", 4, 26, "weight"sv, "a key is given twice: first on line 4, column 15"},
    {"duplicate-name.yaml", 6, 12, "a"sv, "two nodes have the same name"},
    {"unquoted-true.yaml", 2, 10, "true"sv, "`cluster` is text, and this is a truth value"},
    {"epoch-negative.yaml", 2, 8, "-1"sv, "`epoch` is a whole number"},
    {"epoch-hex.yaml", 2, 8, "0x10"sv, "`epoch` is a whole number"},
    {"epoch-octal.yaml", 2, 8, "010"sv, "`epoch` is a whole number"},
    {"epoch-exponent.yaml", 2, 8, "1e3"sv, "`epoch` is a whole number"},
    {"epoch-too-large.yaml", 2, 8, "18446744073709551616"sv, "`epoch` is too large"},
    {"weight-nan.yaml", 4, 23, ".nan"sv, "not a finite positive number"},
    {"weight-nan-word.yaml", 4, 23, "nan"sv, "not a finite positive number"},
    {"weight-infinite.yaml", 4, 23, ".inf"sv, "not a finite positive number"},
    {"weight-infinite-word.yaml", 4, 23, "inf"sv, "not a finite positive number"},
    {"weight-negative.yaml", 4, 23, "-1"sv, "not a finite positive number"},
    {"weight-zero.yaml", 4, 23, "0.00"sv, "not a finite positive number"},
    {"weight-huge.yaml", 4, 23, "1e400"sv, "not a finite positive number"},
    {"weight-too-large.yaml", 4, 23, "1e12"sv, "not a finite positive number"},
    {"weight-tiny.yaml", 4, 23, "1e-400"sv, "not a finite positive number"},
    {"weight-hex.yaml", 4, 23, "0x10"sv, "not a finite positive number"},
    {"weight-comma.yaml", 4, 23, "1,5"sv, "text in quotes"},
    {"weight-words.yaml", 4, 23, "heavy"sv, "not a finite positive number"},
    {"weight-plus.yaml", 4, 23, "+1"sv, "not a finite positive number"},
    {"weights-too-many-tokens.yaml", 5, 23, "1e9"sv, "more than 67108864 ring entries"},
    {"recipe-unknown.yaml", 2, 21, "rings"sv, "unknown recipe"},
    {"hash-unknown.yaml", 2, 33, "md6"sv, "has no such key hash"},
    {"hash-fixed.yaml", 2, 45, "xxh3"sv, "has no such key hash"},
    {"tokens-zero.yaml", 2, 35, "0"sv, "`tokens` is not between"},
    {"tokens-fixed.yaml", 2, 37, "16"sv, "fixes its own points"},
    {"allocation-unknown.yaml", 2, 39, "random"sv, "has no such allocation"},
    {"hash-tag-long.yaml", 2, 49, "{{}}"sv, "a hash tag is two characters"},
    {"setting-unknown.yaml", 2, 45, "depth"sv, "has no such setting"},
    {"state-down.yaml", 4, 22, "down"sv, "unknown node state"},
    {"all-joining.yaml", 4, 22, "joining"sv, "every node is joining"},
    {"token-not-hex.yaml", 4, 28, "0g"sv, "not a token of this ring"},
    {"token-out-of-range.yaml", 4, 24, "100000000"sv, "not a token of this ring"},
    {"tokens-collide.yaml", 5, 30, "0002"sv, "given to both 'a' and 'b'"},
    {"token-twice.yaml", 4, 36, "2"sv, "lists a token twice"},
    {"tokens-missing.yaml", 5, 12, "b"sv, "lists no token"},
    {"tokens-not-wanted.yaml", 4, 24, "02"sv, "lists tokens, but this allocation makes its own"},
    {"more-replicas-than-nodes.yaml", 3, 19, "3"sv, "more replicas than nodes: 2"},
    {"joining-holds-no-replica.yaml", 3, 19, "2"sv, "more replicas than nodes: 1"},
    {"fewer-racks.yaml", 3, 19, "3"sv, "fewer racks than replicas: there are 2"},
    {"replicas-zero.yaml", 3, 19, "0"sv, "not between 1 and 64"},
    {"replicas-65.yaml", 3, 19, "65"sv, "not between 1 and 64"},
    {"across-unknown.yaml", 3, 20, "shelf"sv, "unknown level"},
    {"when-short-unknown.yaml", 3, 24, "ignore"sv, "unknown value of `when_short`"},
    {"count-and-per-zone.yaml", 3, 19, "1"sv, "both `count` and `per_zone`"},
    {"per-zone-empty.yaml", 3, 22, "{}}"sv, "no zone is listed"},
    {"per-zone-unknown.yaml", 3, 34, "us"sv, "no node that can hold a copy is in this zone"},
    {"per-zone-short.yaml", 3, 34, "2"sv, "more replicas than nodes in zone 'us': 1"},
    {"per-zone-twice.yaml", 3, 30, "eu"sv, "a key is given twice"},
    {"ranges-missing.yaml", 3, 11, "ranges"sv, "needs a list of ranges"},
    {"ranges-not-wanted.yaml", 5, 14, "ff"sv, "takes no list of ranges"},
    {"range-unknown-owner.yaml", 5, 30, "b"sv, "an owner that is not a node"},
    {"range-owner-twice.yaml", 5, 14, "a"sv, "lists an owner twice"},
    {"partitions-without-holders.yaml", 4, 15, "[0]"sv, "the key `holders` is missing"},
    {"holders-without-partitions.yaml", 4, 12, "[a]"sv, "the key `partitions` is missing"},
    {"partition-no-number.yaml", 5, 16, "1,b"sv, "not the owners of a partition"},
    {"partition-comma.yaml", 5, 16, "1,"sv, "not the owners of a partition"},
    {"partition-unknown-holder.yaml", 5, 16, "2"sv, "a holder that is not listed"},
    {"partition-unknown-node.yaml", 4, 16, "b"sv, "an owner that is not a node"},
    {"partition-owner-twice.yaml", 5, 16, "c"sv, "a partition lists an owner twice"},
    {"partitions-not-wanted.yaml", 5, 16, "partitions"sv, "takes no list of partitions"},
    {"partitions-of-no-ring.yaml", 5, 16, "partitions"sv, "takes no list of partitions"},
    {"partitions-unequal.yaml", 5, 14, "7f"sv, "not equal parts of hash space"},
    {"partitions-and-slots.yaml", 4, 10, "8"sv, "not a possible number of slots"},
    {"range-order.yaml", 6, 14, "0f"sv, "not in ascending order"},
    {"range-no-owners.yaml", 5, 7, "{upto: ff}"sv, "the key `owners` is missing"},
    {"slots-end-early.yaml", 6, 14, "e"sv, "the slots end before the last one"},
    {"slots-beyond.yaml", 6, 14, "10"sv, "not a position of this space"},
    {"partitions-missing.yaml", 2, 21, "partitions"sv, "needs a list of partitions"},
    {"holder-twice.yaml", 4, 19, "a"sv, "a holder is listed twice"},
    {"range-owner-joining.yaml", 5, 14, "b"sv, "an owner that is joining"},
    {"bucket-of-jump.yaml", 4, 23, "1"sv, "recipe 'jump' does not number nodes"},
    {"bucket-of-ring.yaml", 5, 23, "1"sv, "recipe 'ring' does not number nodes"},
    {"bucket-too-large.yaml", 4, 25, "4294967296"sv, "above 67108863"},
    {"bucket-gap.yaml", 5, 28, "5"sv, "nobody holds bucket 2, and bucket 5 is held"},
    {"bucket-held-twice.yaml", 5, 28, "0"sv, "listed by node 'a' and by node 'b'"},
    {"bucket-beyond-capacity.yaml", 4, 24, "2"sv, "there are 3 buckets"},
    {"buckets-of-ring.yaml", 4, 25, "3"sv, "recipe 'ring' has none"},
    {"removed-of-ring.yaml", 4, 13, "3"sv, "no buckets that could be removed"},
    {"removed-of-jump.yaml", 4, 13, "1"sv, "cannot remember removals"},
    {"removed-twice.yaml", 4, 16, "1"sv, "listed twice by `removed`"},
    {"removed-and-held.yaml", 4, 16, "0"sv, "by node 'a' and by `removed`"},
    {"removed-gap.yaml", 4, 16, "7"sv, "nobody holds bucket 2, and bucket 7 is removed"},
    {"table-size-composite.yaml", 2, 52, "8"sv, "not a prime number"},
    {"table-size-below-nodes.yaml", 2, 52, "3"sv, "4 nodes are more than the entries"},
    {"weight-below-units.yaml", 5, 23, "1e-8"sv, "a weight below 5e-8"},
};
// clang-format on

const std::string folder = ARCWISE_TESTDATA "/malformed/map/";

Error error_of(std::string_view name, std::string bytes) {
  const auto map = parse_map({std::string(name), std::move(bytes)});
  if (map) {
    ADD_FAILURE() << name << " was accepted";
    return {};
  }
  return map.error();
}

void expect_error(const Malformed& row, const Error& error) {
  SCOPED_TRACE(std::string(row.file) + " gave " + to_string(error));
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_EQ(error.where.file, row.file);
  EXPECT_EQ(error.where.line, row.line);
  EXPECT_EQ(error.where.column, row.column);
  EXPECT_EQ(error.what, row.what);
  EXPECT_NE(error.why.find(row.why), std::string::npos);
  EXPECT_FALSE(error.advice.empty());
}

TEST(MalformedMaps, each_names_its_place_its_text_and_the_reason) {
  for (const Malformed& row : table) {
    const auto bytes = read_file(folder + std::string(row.file), 1 << 20);
    ASSERT_TRUE(bytes) << row.file;
    expect_error(row, error_of(row.file, *bytes));
  }
}

TEST(MalformedMaps, every_file_of_the_folder_is_in_the_table) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.front() == '.') continue;
    ++files;
    EXPECT_TRUE(std::any_of(std::begin(table), std::end(table), [&](const Malformed& row) {
      return row.file == name;
    })) << name;
  }
  EXPECT_EQ(files, std::size(table));
}

// Too big or too deep to keep as files.

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

constexpr std::string_view sixty_a = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

TEST(MalformedMaps, a_line_of_100_megabytes) {
  expect_error({"big", 1, 1, sixty_a, "larger than 64 MiB"}, error_of("big", std::string(100'000'000, 'a')));
}

TEST(MalformedMaps, a_text_of_8_megabytes) {
  expect_error({"long", 2, 10, sixty_a, "a text longer than 4096 bytes"},
               error_of("long", "arcwise: 1\ncluster: " + std::string(8'000'000, 'a') + "\n"));
  expect_error({"long", 1, 26, "\"" + std::string(sixty_a.substr(1)), "a text longer than 4096 bytes"},
               error_of("long", R"({"arcwise":1, "cluster": ")" + std::string(8'000'000, 'a') + "\"}"));
}

TEST(MalformedMaps, a_text_of_4096_bytes_is_the_longest) {
  const auto with_cluster = [](std::size_t length) {
    return parse_map({"m", "arcwise: 1\ncluster: " + std::string(length, 'a') +
                               "\nplacement: {recipe: ring}\nnodes:\n  - {name: a}\n"});
  };
  EXPECT_TRUE(with_cluster(4096));
  EXPECT_FALSE(with_cluster(4097));
}

TEST(MalformedMaps, more_words_and_marks_than_a_parser_may_hold) {
  const Error error = error_of("commas", "[" + repeated("a,", 5'000'000));
  EXPECT_EQ(error.where.line, 1u);
  EXPECT_NE(error.why.find("more than 8388608 words and marks"), std::string::npos) << to_string(error);
}

TEST(MalformedMaps, more_values_than_a_tree_may_hold) {
  const Error error = error_of("values", "a: [" + std::string(4'200'000, ',') + "]");
  EXPECT_EQ(error.where.line, 1u);
  EXPECT_NE(error.why.find("more than 4194304 values"), std::string::npos) << to_string(error);
}

TEST(MalformedMaps, nesting_of_any_depth) {
  const std::string sixty_brackets(60, '[');
  expect_error({"balanced", 1, 65, sixty_brackets, "nested deeper than 64 levels"},
               error_of("balanced", std::string(100'000, '[') + std::string(100'000, ']')));
  expect_error({"open", 1, 1, sixty_brackets, "its bracket is not closed"},
               error_of("open", std::string(100'000, '[')));
  expect_error({"dashes", 1, 129, repeated("- ", 29) + "-", "nested deeper than 64 levels"},
               error_of("dashes", repeated("- ", 100'000) + "a"));
  expect_error({"maps", 1, 257, repeated("{a: ", 14) + "{a:", "nested deeper than 64 levels"},
               error_of("maps", repeated("{a: ", 10'000) + "b" + std::string(10'000, '}')));
  expect_error({"json", 1, 321, repeated("{\"a\":", 12), "nested deeper than 64 levels"},
               error_of("json", repeated("{\"a\":", 100'000)));
}

TEST(MalformedMaps, every_cut_of_a_good_map_is_refused_or_a_whole_map) {
  const std::string whole =
      "arcwise: 1\ncluster: \"carts\"\nepoch: 7\nplacement: {recipe: ring, tokens: 16}\n"
      "replicas: {count: 1, across: rack}\nnodes:\n"
      "  - {name: 'a', address: \"10.0.0.1:1\", weight: 1.5, rack: r1}\n  - {name: b, rack: r2}\n";
  const std::string one_node = whole.substr(0, whole.find("  - {name: b"));
  const std::string first = write_map(*parse_map({"one", one_node})),
                    both = write_map(*parse_map({"both", whole}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto map = parse_map({"cut", whole.substr(0, length)});
    if (map) {
      EXPECT_EQ(write_map(*map), length + 1 < whole.size() ? first : both) << length;
      EXPECT_GE(length + 1, one_node.size());
    } else {
      EXPECT_GT(map.error().where.line, 0u) << length;
    }
  }
}

}  // namespace
}  // namespace arcwise
