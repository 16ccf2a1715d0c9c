#include "scene/urdf_messages.hpp"

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace stiction::internal {
namespace {

using console_bridge::LogLevel;
using console_bridge::OutputHandler;

/// console_bridge has one output handler per process. This one stands in for it while a text is read.
///
/// It is never destroyed: console_bridge remembers the handler before the present one, and so may others. Called back
/// by restorePreviousOutputHandler() when nothing is read, it does what console_bridge does by itself.
class Listener final : public OutputHandler {
 public:
  static Listener& instance()
  {
    static auto* const listener = new Listener;
    return *listener;
  }

  UrdfReading read(const std::string& text)
  {
    const std::lock_guard alone(mutex_);
    UrdfReading reading;
    // Who sets another handler while we read takes our messages away: then we have not heard them, and read again.
    constexpr int kAttempts = 10;
    bool heard = false;
    for (int i = 0; i < kAttempts && !heard; ++i) {
      start();
      try {
        reading.model = urdf::parseURDF(text);
      } catch (const std::exception& error) {
        errors_.emplace_back(error.what());
      }
      heard = stop();
    }
    if (!heard) errors_.emplace_back("other threads keep changing the output handler of console_bridge");
    reading.errors = std::move(errors_);
    return reading;
  }

  /// Called with console_bridge's mutex locked: must not log.
  void log(const std::string& text, LogLevel level, const char* file, int line) override
  {
    if (reader_ != std::this_thread::get_id()) {
      OutputHandler* const handler = before_;
      if (handler && level >= level_) handler->log(text, level, file, line);
    } else if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) {
      errors_.push_back(text);
    }
  }

 private:
  void start()
  {
    errors_.clear();
    reader_ = std::this_thread::get_id();
    // Errors must arrive even where somebody wants to see none.
    level_ = console_bridge::getLogLevel();
    if (level_ > console_bridge::CONSOLE_BRIDGE_LOG_ERROR)
      console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_ERROR);
    if (OutputHandler* const present = console_bridge::getOutputHandler(); present != this) {
      before_ = present;
      console_bridge::useOutputHandler(this);
    }
  }

  /// @return whether nobody took our place meanwhile
  bool stop()
  {
    OutputHandler* const before = before_;
    const bool ours = console_bridge::getOutputHandler() == this;
    if (ours && before != &standard_) console_bridge::useOutputHandler(before);
    if (level_ > console_bridge::CONSOLE_BRIDGE_LOG_ERROR) console_bridge::setLogLevel(level_);
    reader_ = std::thread::id();
    before_ = &standard_;
    level_ = console_bridge::CONSOLE_BRIDGE_LOG_DEBUG;
    return ours;
  }

  std::mutex mutex_;  // one text at a time
  console_bridge::OutputHandlerSTD standard_;
  std::atomic<OutputHandler*> before_ = &standard_;
  std::atomic<LogLevel> level_ = console_bridge::CONSOLE_BRIDGE_LOG_DEBUG;
  std::atomic<std::thread::id> reader_ = std::thread::id();
  std::vector<std::string> errors_;
};

}  // namespace

UrdfReading read_quietly(const std::string& text) { return Listener::instance().read(text); }

}  // namespace stiction::internal
