#include "cli/args.hpp"

#include <gtest/gtest.h>

namespace arcwise::cli {
namespace {

struct Sample {
  std::string map, file = "none";
  std::vector<std::string> keys, down;
  std::uint64_t seed = 1;
  std::optional<std::uint32_t> replicas;
  bool all = false;
  std::string kind = "both";

  std::optional<Error> parse(std::vector<std::string> words) {
    Args args;
    args.operand("MAP", map, "a map");
    args.operands("KEY", keys, "keys", 0);
    args.option("-o,--output", "FILE", file, "where to");
    args.option("--down", "NODE", down, "down nodes");
    args.option("--seed", "N", seed, "seed");
    args.option("--replicas", "N", replicas, "copies");
    args.option("--kind", "KIND", kind, "what").one_of({"ring", "both"});
    args.flag("--all", all, "everything");
    return args.parse(std::move(words));
  }
};

std::string why(std::vector<std::string> words) {
  Sample s;
  const auto error = s.parse(std::move(words));
  return error ? to_string(*error) : "";
}

TEST(Args, values_arrive_however_they_are_written) {
  for (const auto& words : {std::vector<std::string>{"m", "k1", "k2", "-o", "f", "--down", "a", "--down", "b",
                                                     "--seed", "7", "--all"},
                            {"--down=a", "m", "--seed=7", "k1", "--all", "k2", "--down=b", "--output=f"}}) {
    Sample s;
    ASSERT_FALSE(s.parse(words));
    EXPECT_EQ(s.map, "m");
    EXPECT_EQ(s.keys, (std::vector<std::string>{"k1", "k2"}));
    EXPECT_EQ(s.down, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(s.file, "f");
    EXPECT_EQ(s.seed, 7u);
    EXPECT_TRUE(s.all);
  }
}

TEST(Args, a_dash_is_a_value_and_two_end_the_options) {
  Sample s;
  ASSERT_FALSE(s.parse({"-", "--", "-x", "--seed"}));
  EXPECT_EQ(s.map, "-");
  EXPECT_EQ(s.keys, (std::vector<std::string>{"-x", "--seed"}));
}

TEST(Args, brackets_and_separators_are_part_of_a_value) {
  Sample s;
  ASSERT_FALSE(s.parse({"[m,n]", "[a,b]", "%%", "{x}", "--down", "[c,d]", "-o", "a=b"}));
  EXPECT_EQ(s.map, "[m,n]");
  EXPECT_EQ(s.keys, (std::vector<std::string>{"[a,b]", "%%", "{x}"}));
  EXPECT_EQ(s.down, std::vector<std::string>{"[c,d]"});
  EXPECT_EQ(s.file, "a=b");
}

TEST(Args, what_is_wrong_is_said_in_one_sentence) {
  EXPECT_EQ(why({}), "MAP is missing; a map");
  EXPECT_EQ(why({"m", "--sed", "3"}), "unknown option: \"--sed\"; did you mean --seed?");
  EXPECT_EQ(why({"m", "--seed", "-3"}).find("--seed"), 0u);
  EXPECT_EQ(why({"m", "--seed", "3x"}), "--seed: this is not a whole number: \"3x\"");
  EXPECT_EQ(why({"m", "--seed", "99999999999999999999"}),
            "--seed: this is not a whole number: \"99999999999999999999\"");
  EXPECT_EQ(why({"m", "--replicas", "0"}), "--replicas: this is not a whole number above 0: \"0\"");
  EXPECT_EQ(why({"m", "--kind", "pie"}), "--kind: no such value: \"pie\"; use ring or both");
  EXPECT_EQ(why({"m", "-o", "a", "-o", "b"}), "--output is given twice: \"b\"; give it once");
}

TEST(Args, near_words_are_found_and_far_ones_are_not) {
  const std::vector<std::string> verbs{"status", "ranges", "risk"};
  EXPECT_EQ(nearest("stauts", verbs), "status");
  EXPECT_EQ(nearest("rsk", verbs), "risk");
  EXPECT_EQ(nearest("completely-different", verbs), "");
}

TEST(Args, an_empty_value_is_refused_for_every_option_and_allowed_for_operands) {
  for (const auto& words : {std::vector<std::string>{"m", "-o", ""},
                            {"m", "--output="},
                            {"m", "--down", ""},
                            {"m", "--down", "a", "--down", ""},
                            {"m", "--seed", ""},
                            {"m", "--replicas="},
                            {"m", "--kind", ""}})
    EXPECT_NE(why(words), "") << words.back();
  EXPECT_EQ(why({"m", "--down", ""}).find("--down: its value is empty"), 0u);
  Sample s;
  ASSERT_FALSE(s.parse({"m", ""}));
  EXPECT_EQ(s.keys, std::vector<std::string>{""});
}

}  // namespace
}  // namespace arcwise::cli
