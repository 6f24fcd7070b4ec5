// Plans read back: what binds them to maps, and what is no plan.
#include "format/plan_file.hpp"

#include <gtest/gtest.h>

namespace arcwise {
namespace {

constexpr const char *A = "aaaaaaaaaaaaaaaa", *B = "bbbbbbbbbbbbbbbb", *M = "0123456789abcdef",
                     *N = "fedcba9876543210";

std::string state(const std::string& fingerprint, const std::string& membership, const std::string& epoch) {
  return R"({"fingerprint": ")" + fingerprint + R"(", "membership": ")" + membership + R"(", "epoch": )" +
         epoch + "}";
}
std::string step(const std::string& action, const std::string& before, const std::string& after) {
  return R"({"action": ")" + action + R"(", "before": ")" + before + R"(", "after": ")" + after + "\"}";
}

// x comes and goes: the last map is the first one, but for its epoch.
std::string there_and_back() {
  return std::string("{\"schema\": \"arcwise/plan/v1\", \"before\": \"") + A + "\", \"after\": \"" + A +
         "\",\n\"change\": [\"--add\", \"x\"],\n\"states\": [" + state(A, M, "7") + ",\n" + state(B, N, "8") +
         ",\n" + state(A, M, "9") + "],\n\"steps\": [" + step("add x", A, B) + ",\n" +
         step("remove x", B, A) + "]}\n";
}

Result<PlanFile> read(const std::string& text) {
  return parse_plan({"plan.json", text});
}

TEST(PlanFile, knows_its_states_by_fingerprint_membership_and_epoch) {
  const auto plan = read(there_and_back());
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_EQ(plan->actions, (std::vector<std::string>{"add x", "remove x"}));
  EXPECT_EQ(plan->change, (std::vector<std::string>{"--add", "x"}));
  EXPECT_EQ(plan->state_of({A, "", M, 7}), 0u);
  EXPECT_EQ(plan->state_of({B, "", N, 8}), 1u);
  EXPECT_EQ(plan->state_of({A, "", M, 9}), 2u);
  EXPECT_EQ(plan->state_of({A, "", M, std::nullopt}), 0u) << "the first of them";
  EXPECT_EQ(plan->state_of({B, "", M, 8}), 1u) << "the only one of this fingerprint";
  EXPECT_EQ(plan->state_of({A, "", N, 7}), std::nullopt)
      << "two of this fingerprint, none of this membership";
  EXPECT_EQ(plan->state_of({N, "", M, 7}), std::nullopt);
}

TEST(PlanFile, malformed_is_an_error_that_names_the_place_and_the_reason) {
  const struct {
    std::string old, now;
    std::uint32_t line;
    const char* why;
  } cases[] = {
      {"plan/v1", "diff/v1", 1, "this is no plan"},
      {"\"states\"", "\"stages\"", 1, "there is no \"states\" here"},
      {state(B, N, "8"), "[]", 4, "a state is not an object"},
      {state(B, N, "8"), state("BBBBBBBBBBBBBBBB", N, "8"), 4, "\"fingerprint\" is not 16 hex digits"},
      {state(B, N, "8"), state(B, "1234", "8"), 4, "\"membership\" is not 16 hex digits"},
      {state(B, N, "8"), state(B, N, "-8"), 4, "\"epoch\" is not a whole number"},
      {",\n" + state(A, M, "9"), "", 5, "2 steps need one state more, and there are 2"},
      {step("add x", A, B), "5", 6, "a step is not an object"},
      {step("add x", A, B), step("add x", B, B), 6, "does not lead from the state before it"},
      {"\"--add\", ", "{}, ", 2, "a word of the change is not a text"},
      {"\"change\": [", "\"change\": 5, \"old\": [", 2, "\"change\" is not a list"},
      {std::string("\"after\": \"") + A + "\",\n", std::string("\"after\": \"") + B + "\",\n", 1,
       "does not lead from its first state to its last"},
      {"{\"schema\"", "[{\"schema\"", 1, ""},
  };
  for (const auto& c : cases) {
    std::string text = there_and_back();
    const std::size_t at = text.find(c.old);
    ASSERT_NE(at, std::string::npos) << c.old;
    const auto plan = read(text.replace(at, c.old.size(), c.now));
    ASSERT_FALSE(plan) << c.now;
    EXPECT_EQ(plan.error().kind, ErrorKind::input);
    EXPECT_EQ(plan.error().where.file, "plan.json");
    EXPECT_EQ(plan.error().where.line, c.line) << to_string(plan.error());
    EXPECT_NE(plan.error().why.find(c.why), std::string::npos) << to_string(plan.error());
    EXPECT_FALSE(plan.error().advice.empty());
  }
}

}  // namespace
}  // namespace arcwise
