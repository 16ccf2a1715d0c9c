// Broken scenario files end in a verdict or in an InputError, never in anything else.
#include <gtest/gtest.h>

#include <random>

#include "io/check.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

std::string mutated(std::string text, std::mt19937& rng)
{
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(rng() % n); };
  switch (pick(4)) {
    case 0:  // flip bytes
      for (std::size_t k = 0; k <= pick(3); ++k) text[pick(text.size())] = static_cast<char>(rng() % 256);
      break;
    case 1: {  // drop a line
      const std::size_t begin = text.rfind('\n', pick(text.size())) + 1;
      text.erase(begin, text.find('\n', begin) - begin + 1);
      break;
    }
    case 2: {  // drop a key, keep its value
      const std::size_t colon = text.find(": ", pick(text.size()));
      if (colon != text.npos)
        text.erase(text.find_last_of(" \n{,", colon - 1) + 1, colon + 2 - text.find_last_of(" \n{,", colon - 1) - 1);
      break;
    }
    default: {  // replace a number
      static const char* const kBy[] = {"nan",    ".inf", "1e400", "-1e308", "1e-320", "text", "[1, 2]",
                                        "{a: 1}", "",     "~",     "-0.0",   "1e30",   "true"};
      const std::size_t digit = text.find_first_of("0123456789", pick(text.size()));
      if (digit != text.npos) {
        const std::size_t begin = text.find_last_not_of("0123456789.e-", digit) + 1;
        text.replace(begin, text.find_first_not_of("0123456789.e-", begin) - begin, kBy[pick(std::size(kBy))]);
      }
    }
  }
  return text;
}

TEST(MutatedScenarios, EndInAVerdictOrABadInput)
{
  std::mt19937 rng{20200101};
  const std::string folder = std::string(STICTION_SOURCE_DIR) + "/scenarios";
  int answered = 0, refused = 0;
  const char* const names[] = {
      "block_on_ground", "pinch_on_guide",       "rail_grasp",        "three_finger_hand", "mug_in_hand",
      "stack_of_boxes",  "soft_finger",          "box_pushed",        "biped_region",      "ball_between_hard_fingers",
      "ladder_slips",    "painleve_two_futures", "box_slides_on_box", "rod_wall_and_rail", "crank_against_stop"};
  for (int i = 0; i < 1000; ++i) {
    const std::string name = names[i % std::size(names)];
    const std::string text = mutated(read_text_file(folder + "/" + name + ".yaml", "scenario"), rng);
    SCOPED_TRACE(name + " " + std::to_string(i) + "\n" + text);
    try {
      const ScenarioReport report = check_document({parse_yaml(text, "f.yaml"), folder}, {});
      ASSERT_FALSE(to_text(report).empty());
      ASSERT_FALSE(to_json(report).empty());
      ++answered;
    } catch (const InputError&) {
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
  }
  EXPECT_GT(answered, 200);  // or the mutations say nothing about checking
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace stiction::internal
