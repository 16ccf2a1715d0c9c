#include "stiction_ros/event_log.hpp"

#include <algorithm>
#include <string_view>

namespace stiction_ros {
namespace {

constexpr double kBetweenLines = 1.0;  // s: what flickers shall not fill a disk

/// Without the numbers; those in names ("foot/2", "leg_3") stay.
std::string words_of(const std::string& sentence)
{
  std::string words;
  bool name = false;
  for (const char c : sentence) {
    const bool number = std::string_view("0123456789.+-e").find(c) != std::string_view::npos;
    if (!name && number) continue;
    words += c;
    name = std::string_view(" (,=").find(c) == std::string_view::npos;
  }
  return words;
}

}  // namespace

std::optional<std::string> EventLog::next(const std::string& sentence, double time)
{
  const std::string words = words_of(sentence);
  missed_ += words != seen_ && words != logged_;
  seen_ = words;
  if (time < time_) time_ = -std::numeric_limits<double>::infinity();  // the clock was set back
  if (words == logged_ || time - time_ < kBetweenLines) return std::nullopt;
  const int before = std::max(0, missed_ - 1);
  logged_ = words;
  time_ = time;
  missed_ = 0;
  return before == 0 ? sentence : sentence + " (and " + std::to_string(before) + " other changes before)";
}

}  // namespace stiction_ros
