#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/row_result.hpp"
#include "io/track.hpp"

namespace stiction::internal {
namespace {

constexpr Verdict kVerdicts[] = {Verdict::kHolds, Verdict::kFails, Verdict::kUndecided};

constexpr const char* kCom = "com";  // of a region

std::size_t index_of(Verdict verdict)
{
  return static_cast<std::size_t>(std::ranges::find(kVerdicts, verdict) - std::begin(kVerdicts));
}

}  // namespace

TrackSummary::TrackSummary(RowFormat format, std::vector<std::string> columns)
    : format_(format), columns_(std::move(columns))
{
}

/// None: the row was bad.
std::optional<TrackSummary::Instant> TrackSummary::read(const std::string& line) const
{
  RowResult row = read_result(format_, columns_, line);
  if (!row.answered) return std::nullopt;
  return Instant{std::move(row.id),
                 row.number("time").value_or(0.0),
                 row.verdict,
                 row.number("friction_scale"),
                 row.number(room_name()),
                 std::move(row.summary)};
}

const char* TrackSummary::room_name() const
{
  return std::ranges::find(columns_, kCom) != columns_.end() ? kCom : "slack";
}

/// Failing before undecided before holding; then more friction needed, then less room.
bool TrackSummary::worse(const Instant& a, const Instant& b)
{
  const auto rank = [](const Instant& instant) {
    return instant.verdict == Verdict::kFails ? 0 : instant.verdict == Verdict::kUndecided ? 1 : 2;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a.scale && b.scale && *a.scale != *b.scale) return *a.scale > *b.scale;
  return a.room.value_or(kInfinity) < b.room.value_or(kInfinity);
}

void TrackSummary::add(const std::string& line)
{
  ++rows_;
  std::optional<Instant> instant = read(line);
  if (!instant) {
    ++bad_;
    gap_ = true;
    return;
  }
  const std::size_t verdict = index_of(instant->verdict);
  ++counts_[verdict];
  if (last_) {  // the time between two rows is half of each
    const double between = instant->time - last_->time;
    if (gap_) {
      unanswered_ += between;
    } else {
      share_[index_of(last_->verdict)] += 0.5 * between;
      share_[verdict] += 0.5 * between;
    }
  }
  gap_ = false;
  if (!first_) first_ = instant;
  if (!first_failure_ && instant->verdict == Verdict::kFails) first_failure_ = instant;
  if (!worst_ || worse(*instant, *worst_)) worst_ = instant;
  last_ = std::move(instant);
}

std::string TrackSummary::told(const Instant& instant) const
{
  std::string text = fmt::format("{:.6g} s (row {})", instant.time, instant.id);
  if (instant.scale) text += fmt::format(", friction_scale {:.4g}", *instant.scale);
  if (instant.room && (room_name() == kCom || instant.verdict == Verdict::kHolds))
    text += fmt::format(", {} {:.4g}{}", room_name(), *instant.room, room_name() == kCom ? " m" : "");
  return text + ": " + instant.summary;
}

std::string TrackSummary::text() const
{
  if (!first_) return fmt::format("{} rows, none answered\n", rows_);
  const double total = last_->time - first_->time;
  std::string text = fmt::format("{} rows, {:.6g} s to {:.6g} s\n", rows_, first_->time, last_->time);
  const auto share = [&](double seconds, std::uint64_t rows) {
    return total > 0.0 ? 100.0 * seconds / total : 100.0 * static_cast<double>(rows) / static_cast<double>(rows_);
  };
  for (const Verdict verdict : kVerdicts) {
    const std::size_t i = index_of(verdict);
    if (counts_[i] == 0 && verdict != Verdict::kHolds) continue;
    text += fmt::format("{:<14} {:5.1f} % of the time, {} rows\n", to_string(verdict), share(share_[i], counts_[i]),
                        counts_[i]);
  }
  if (bad_ > 0) text += fmt::format("{:<14} {:5.1f} % of the time, {} rows\n", "bad", share(unanswered_, bad_), bad_);
  text += "worst instant: " + told(*worst_) + "\n";
  if (first_failure_) text += "first failure: " + told(*first_failure_) + "\n";
  return text;
}

int TrackSummary::exit_code() const
{
  if (bad_ > 0) return 2;
  if (counts_[index_of(Verdict::kFails)] > 0) return 1;
  return counts_[index_of(Verdict::kUndecided)] > 0 || !first_ ? 3 : 0;
}

}  // namespace stiction::internal
