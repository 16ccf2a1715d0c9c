// Broken URDFs end in a robot or in an InputError, never in anything else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

using testing::Random;

std::string content(const std::string& file)
{
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Begin and length of an element without content, an attribute or a number behind a random place; 0 and 0: none.
std::pair<std::size_t, std::size_t> part(const std::string& text, int kind, Random& random)
{
  const std::size_t at = random.index(text.size());
  const auto between = [&](std::size_t begin, std::size_t end) {
    return begin == text.npos || end == text.npos || end < begin ? std::pair<std::size_t, std::size_t>()
                                                                 : std::pair(begin, end - begin);
  };
  if (kind == 0) {
    const std::size_t begin = text.find('<', at);
    return between(begin, text.find('>', begin) + 1);
  }
  if (kind == 1) {
    const std::size_t quote = text.find("=\"", at);
    return quote == text.npos ? between(quote, quote) : between(text.rfind(' ', quote), text.find('"', quote + 2) + 1);
  }
  const std::size_t digit = text.find_first_of("0123456789", at);
  if (digit == text.npos) return {};
  const std::size_t begin = text.find_last_not_of("0123456789.e-", digit) + 1;
  return between(begin, text.find_first_not_of("0123456789.e-", begin));
}

std::string mutated(std::string text, Random& random)
{
  static const char* const kBy[] = {"nan", "inf",  "1e400", "-1e308", "1e-320", "%s%n", "0x1p3",
                                    "",    "-0.0", "1 2",   "1e200",  "&#37;n", "&lt;", "\t7\n"};
  const std::size_t kind = random.index(6);
  if (kind == 0) {
    for (std::size_t k = 0; k <= random.index(3); ++k)
      text[random.index(text.size())] = static_cast<char>(random.index(256));
    return text;
  }
  const auto [begin, length] = part(text, kind < 5 ? static_cast<int>(kind - 1) / 2 : 2, random);
  if (kind == 5)
    text.replace(begin, length, kBy[random.index(std::size(kBy))]);
  else if (kind % 2)
    text.erase(begin, length);
  else
    text.insert(random.index(2) ? begin : text.find('<', random.index(text.size())) % text.size(),
                text.substr(begin, length));
  return text;
}

/// The same 1000 every time, of the shipped robots.
std::vector<std::string> mutants()
{
  std::vector<std::string> robots, texts;
  for (const auto& entry : std::filesystem::directory_iterator(testing::own_urdf("")))
    if (entry.path().extension() == ".urdf") robots.push_back(entry.path().string());
  std::ranges::sort(robots);
  Random random(20261117);
  for (std::size_t i = 0; i < 1000; ++i) {
    texts.push_back(mutated(content(robots.at(i % robots.size())), random));
    if (i % 3 == 0) texts.back() = mutated(texts.back(), random);
  }
  return texts;
}

TEST(MutatedUrdfs, GiveARobotOrABadInput)
{
  int read = 0, refused = 0;
  for (const std::string& text : mutants()) {
    SCOPED_TRACE(text);
    try {
      const RobotInfo info = inspect_urdf_text(text);
      EXPECT_EQ(info.links.size(), info.joints.size() + 1);
      EXPECT_TRUE(std::isfinite(info.total_mass));
      ++read;
    } catch (const InputError& error) {
      EXPECT_FALSE(error.path().empty());
      EXPECT_NE(std::string(error.what()).find("want"), std::string::npos) << error.what();
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GT(read, 200);  // or the mutations say nothing about reading
  EXPECT_GT(refused, 200);
}

TEST(MutatedUrdfs, PrintNothing)  // apart: what a sanitizer says of the above is to be seen
{
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  for (const std::string& text : mutants()) {
    try {
      inspect_urdf_text(text);
    } catch (const InputError&) {
    }
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace stiction
