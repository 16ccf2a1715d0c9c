#include "base/names.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

TEST(NotUtf8, FindsTheFirstBadByte)
{
  EXPECT_EQ(not_utf8("plain, ä, €, \xf0\x9f\xa4\x96"), std::string_view::npos);
  EXPECT_EQ(not_utf8("ab\xff"), 2u);
  EXPECT_EQ(not_utf8("a\xc3"), 1u);         // cut off
  EXPECT_EQ(not_utf8("\xc0\xaf"), 0u);      // overlong
  EXPECT_EQ(not_utf8("\xed\xa0\x80"), 0u);  // a surrogate
  EXPECT_EQ(not_utf8("\xf5\x80\x80\x80"), 0u);
}

TEST(Printable, EscapesWhatATerminalObeysAndWhatIsNoText)
{
  EXPECT_EQ(printable("Füße 1/2"), "Füße 1/2");
  EXPECT_EQ(printable("a\nb\tc\x7f"), "a\\x0ab\\x09c\\x7f");
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J\xc2\xa0"),
            "\\xc2\\x9b2J\xc2\xa0");  // C1 escapes, a blank that does not break stays
  EXPECT_EQ(printable("ab\xff\xc3"), "ab\\xff\\xc3");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(quoted("toe\n"), "'toe\\x0a'");
}

TEST(RequireName, SaysWhere)
{
  EXPECT_NO_THROW(require_name("linke Zehe", "contacts[0].name"));
  for (const std::string name : {"", "a\nb", "\x1b[31m", "\xff"}) {
    try {
      require_name(name, "contacts[0].name");
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_EQ(error.path(), "contacts[0].name");
    }
  }
}

}  // namespace
}  // namespace stiction::internal
