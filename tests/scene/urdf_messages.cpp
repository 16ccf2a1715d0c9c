// urdfdom speaks through console_bridge, which the whole process shares: nothing of it may be seen or changed by
// reading a URDF.
#include <console_bridge/console.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

namespace cb = console_bridge;

/// A handler of the application, with its own level, for one test.
class Recorder : public cb::OutputHandler {
 public:
  explicit Recorder(cb::LogLevel level = cb::CONSOLE_BRIDGE_LOG_WARN)
  {
    cb::useOutputHandler(this);
    cb::setLogLevel(level);
  }
  ~Recorder() override
  {
    static cb::OutputHandlerSTD standard;
    cb::useOutputHandler(&standard);
    cb::useOutputHandler(&standard);  // and forget this one
    cb::setLogLevel(cb::CONSOLE_BRIDGE_LOG_WARN);
  }
  void log(const std::string& text, cb::LogLevel, const char*, int) override { texts.push_back(text); }
  std::vector<std::string> texts;
};

const std::string kGood = testing::zoo_urdf();
/// urdfdom only complains of it, and gives a model nevertheless.
const std::string kBad = "<robot name='r'><link name='a'><inertial><mass value='1'/></inertial></link></robot>";

bool refused(const std::string& text)
{
  try {
    inspect_urdf_text(text);
    return false;
  } catch (const InputError&) {
    return true;
  }
}

/// What `work` writes to the two streams, whoever writes it.
std::string printed_by(const std::function<void()>& work)
{
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  work();
  return ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();
}

TEST(UrdfMessages, AreNeverPrinted)
{
  for (const auto level : {cb::CONSOLE_BRIDGE_LOG_DEBUG, cb::CONSOLE_BRIDGE_LOG_WARN, cb::CONSOLE_BRIDGE_LOG_NONE}) {
    cb::setLogLevel(level);
    EXPECT_EQ(printed_by([] {
                EXPECT_FALSE(refused(kGood));
                EXPECT_TRUE(refused(kBad));
              }),
              "");
    EXPECT_EQ(cb::getLogLevel(), level);
  }
  cb::setLogLevel(cb::CONSOLE_BRIDGE_LOG_WARN);
}

TEST(UrdfMessages, AreHeardWhereTheApplicationWantsNone)
{
  Recorder recorder(cb::CONSOLE_BRIDGE_LOG_NONE);
  EXPECT_TRUE(refused(kBad));
  cb::noOutputHandler();
  EXPECT_TRUE(refused(kBad));
  EXPECT_EQ(cb::getOutputHandler(), nullptr);
  EXPECT_TRUE(recorder.texts.empty());
}

TEST(UrdfMessages, LeaveTheHandlerOfTheApplicationInItsPlace)
{
  Recorder recorder;
  EXPECT_TRUE(refused(kBad));
  EXPECT_FALSE(refused(kGood));
  EXPECT_EQ(cb::getOutputHandler(), &recorder);
  CONSOLE_BRIDGE_logWarn("mine");
  EXPECT_THAT(recorder.texts, ::testing::ElementsAre("mine"));
}

TEST(UrdfMessages, AHandlerTakenBackAfterwardsLeavesTheStandardOne)
{
  Recorder recorder;
  EXPECT_TRUE(refused(kBad));
  cb::restorePreviousOutputHandler();
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(printed_by([] { CONSOLE_BRIDGE_logWarn("to everybody"); }), ::testing::HasSubstr("to everybody"));
    EXPECT_EQ(printed_by([] { EXPECT_TRUE(refused(kBad)); }), "");
  }
  EXPECT_TRUE(recorder.texts.empty());
}

TEST(UrdfMessages, FourThreadsReadBesideOneThatLogs)
{
  constexpr int kReadings = 100, kLines = 2000;
  Recorder recorder;
  std::atomic<int> wrong = 0;
  const std::string printed = printed_by([&] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < kReadings; ++i) wrong += refused((i + t) % 2 ? kGood : kBad) != ((i + t) % 2 == 0);
      });
    threads.emplace_back([] {
      for (int i = 0; i < kLines; ++i) {
        CONSOLE_BRIDGE_logError("line %d", i);
        CONSOLE_BRIDGE_logDebug("below the level");
      }
    });
    for (auto& thread : threads) thread.join();
  });
  EXPECT_EQ(printed, "");
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cb::getOutputHandler(), &recorder);
  ASSERT_EQ(recorder.texts.size(), static_cast<std::size_t>(kLines));
  for (int i = 0; i < kLines; ++i) EXPECT_EQ(recorder.texts[static_cast<std::size_t>(i)], "line " + std::to_string(i));
}

TEST(UrdfMessages, AreNotMissedWhileAnotherThreadChangesTheHandler)
{
  constexpr int kChanges = 8;  // all in one reading, at worst: it is tried ten times
  Recorder recorder;
  std::atomic<int> changes = 0;
  std::thread other([&] {
    while (changes < kChanges) {
      if (cb::getOutputHandler() == &recorder) {
        std::this_thread::yield();
        continue;
      }
      cb::useOutputHandler(&recorder);
      ++changes;
    }
  });
  for (int i = 0; changes < kChanges; ++i) EXPECT_EQ(refused(i % 2 ? kGood : kBad), i % 2 == 0);
  other.join();
  EXPECT_EQ(cb::getOutputHandler(), &recorder);
}

}  // namespace
}  // namespace stiction
