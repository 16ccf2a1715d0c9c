#include "io/progress_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction::internal {

std::string progress_text(const BatchProgress& progress, double seconds, bool bar)
{
  constexpr int kProgressBar = 20;
  const auto answered = static_cast<double>(progress.rows - progress.resumed);
  const double rate = seconds > 0.0 ? answered / seconds : 0.0;
  const double share =
      progress.total_bytes > 0
          ? std::min(1.0, static_cast<double>(progress.bytes) / static_cast<double>(progress.total_bytes))
          : 0.0;
  std::string text;
  if (bar && progress.total_bytes > 0) {
    const int filled = static_cast<int>(std::lround(share * kProgressBar));
    text += "[" + std::string(static_cast<std::size_t>(filled), '#') +
            std::string(static_cast<std::size_t>(kProgressBar - filled), '-') + "] ";
  }
  if (!progress.finished && progress.total_bytes > 0) text += fmt::format("{:3.0f} %  ", 100.0 * share);
  text += fmt::format("{} rows", progress.rows);
  if (progress.resumed > 0) text += fmt::format(" ({} before)", progress.resumed);
  if (progress.bad > 0) text += fmt::format(", {} bad", progress.bad);
  text += fmt::format(", {:.0f}/s", rate);
  if (progress.finished) {
    text += fmt::format(", {:.1f} s", seconds);
  } else if (share > 0.0) {
    const auto left = static_cast<long>(std::ceil(seconds * (1.0 - share) / share));
    text += left >= 3600 ? fmt::format(", {}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60)
                         : fmt::format(", {}:{:02} left", left / 60, left % 60);
  }
  return text;
}

}  // namespace stiction::internal
