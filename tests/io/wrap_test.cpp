// Sentences in lines of at most 80 columns.
#include "io/wrap.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace stiction::internal {
namespace {

std::vector<std::string> wrapped_lines(const std::string& text)
{
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Wrap, BreaksBeforeTheWordThatWouldNotFit)
{
  const std::string word(39, 'a'), longer(40, 'b');
  std::string fits, breaks;
  append_wrapped(fits, word + " " + longer);  // 39 + 1 + 40
  EXPECT_EQ(fits, word + " " + longer + "\n");
  append_wrapped(breaks, longer + " " + longer);
  EXPECT_EQ(breaks, longer + "\n" + longer + "\n");
}

TEST(Wrap, KeepsWordsThatAreTooLong)
{
  const std::string word(100, 'a');
  std::string text = "before:\n";
  append_wrapped(text, "x " + word + " y");
  EXPECT_EQ(text, "before:\nx\n" + word + "\ny\n");
}

TEST(Wrap, IndentsItemsOfAList)
{
  std::string sentence, text;
  for (int i = 0; i < 40; ++i) sentence += (i > 0 ? " word" : "word") + std::to_string(i);
  append_item(text, sentence);
  const std::vector<std::string> lines = wrapped_lines(text);
  ASSERT_GE(lines.size(), 3u);
  std::string words;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].substr(0, 3), i == 0 ? " - " : "   ");
    EXPECT_LE(lines[i].size(), 80u);
    EXPECT_TRUE(i + 1 == lines.size() || lines[i].size() > 80 - 7) << "a word more would have fitted";
    words += (i > 0 ? " " : "") + lines[i].substr(3);
  }
  EXPECT_EQ(words, sentence);
}

TEST(Wrap, NothingIsAnEmptyLine)
{
  std::string text;
  append_wrapped(text, "");
  EXPECT_EQ(text, "\n");
}

}  // namespace
}  // namespace stiction::internal
