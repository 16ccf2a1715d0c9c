#pragma once

#include <limits>
#include <optional>
#include <string>

namespace stiction_ros {

/// Which of many sentences a log needs: those whose words differ from the last one's, as ages and margins change all
/// the time; one a second at most, and then the newest.
class EventLog {
 public:
  /// The line to log at this time (s), if any.
  std::optional<std::string> next(const std::string& sentence, double time);

 private:
  std::string logged_;  ///< words of the last line
  double time_ = -std::numeric_limits<double>::infinity();
  int missed_ = 0;  ///< changes since
  std::string seen_;
};

}  // namespace stiction_ros
