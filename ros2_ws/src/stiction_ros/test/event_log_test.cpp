#include "stiction_ros/event_log.hpp"

#include <gtest/gtest.h>

namespace {

using stiction_ros::EventLog;

TEST(EventLog, LogsWhatIsNewAndNotEveryNumber)
{
  EventLog log;
  EXPECT_EQ(log.next("holds", 0.0), "holds");
  EXPECT_FALSE(log.next("holds", 5.0));
  EXPECT_EQ(log.next("not judged: contacts: 0.6 s old", 10.0), "not judged: contacts: 0.6 s old");
  EXPECT_FALSE(log.next("not judged: contacts: 12.7 s old", 20.0));  // the same reason, older
  EXPECT_FALSE(log.next("not judged: contacts: 1e+03 s old", 30.0));
  EXPECT_TRUE(log.next("not judged: joint_states: 0.6 s old", 40.0));  // the level has not changed, the reason has
  EXPECT_TRUE(log.next("fails: tips along (+0.1, 0, -0.2): lh lifts", 50.0));
  EXPECT_FALSE(log.next("fails: tips along (+0.3, 0, -0.1): lh lifts", 60.0));
  EXPECT_TRUE(log.next("fails: tips along (+0.3, 0, -0.1): rh lifts", 70.0));
  EXPECT_TRUE(log.next("fails: slips: foot/0", 80.0));
  EXPECT_TRUE(log.next("fails: slips: foot/1", 90.0));  // a name, not a number
}

TEST(EventLog, WritesOneLineASecondHoweverFastItFlickers)
{
  EventLog log;
  int lines = 0;
  for (int i = 0; i < 5000; ++i) lines += log.next(i % 2 ? "holds" : "fails: slides", 0.002 * i).has_value();
  EXPECT_GE(lines, 9);
  EXPECT_LE(lines, 11);
  EXPECT_FALSE(log.next("holds", 10.0));
  const auto last = log.next("undecided: x", 12.0);
  ASSERT_TRUE(last);
  EXPECT_NE(last->find("other changes before"), std::string::npos) << *last;
}

TEST(EventLog, GoesOnWhenTheClockIsSetBack)
{
  EventLog log;
  EXPECT_TRUE(log.next("holds", 1000.0));
  EXPECT_TRUE(log.next("fails", 1.0));  // simulated time that begins anew
}

}  // namespace
