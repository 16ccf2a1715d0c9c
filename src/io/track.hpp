#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/batch.hpp"
#include "io/row_output.hpp"

namespace stiction::internal {

struct TrackArguments {
  BatchArguments rows;      ///< `inputs` may also be .npz; no shard
  int window = 5;           ///< rows that velocities and accelerations are fitted to: odd, 3 to 101
  double tolerance = 0.02;  ///< of velocities at sticking contacts, m/s: more is a bad row
};

/// What a whole trajectory does, from the lines of its results.
class TrackSummary {
 public:
  explicit TrackSummary(RowFormat format, std::vector<std::string> columns);

  void add(const std::string& line);

  /// For people, a few lines.
  std::string text() const;
  /// 0 holds all the time, 1 fails somewhere, 3 undecided somewhere; 2 has a bad row.
  int exit_code() const;

  struct Instant {
    std::string id;
    double time = 0.0;
    Verdict verdict = Verdict::kUndecided;
    std::optional<double> scale, room;  ///< friction_scale; slack, N, or com, m
    std::string summary;
  };
  const std::optional<Instant>& worst() const { return worst_; }  ///< none: no row was answered
  const std::optional<Instant>& first_failure() const { return first_failure_; }

 private:
  std::optional<Instant> read(const std::string& line) const;
  const char* room_name() const;
  static bool worse(const Instant& a, const Instant& b);
  std::string told(const Instant& instant) const;

  RowFormat format_;
  std::vector<std::string> columns_;
  std::uint64_t rows_ = 0, bad_ = 0, counts_[3] = {};
  double share_[3] = {}, unanswered_ = 0.0;  ///< s, by verdict; between rows a bad one of which is left out
  std::optional<Instant> first_, last_, worst_, first_failure_;
  bool gap_ = false;
};

/// Answers every row of a trajectory as run_batch does; velocities and accelerations that the rows do not have are
/// those of the rows around them. Calls `progress` and writes results as run_batch.
/// @throws InputError as run_batch.
TrackSummary run_track(const TrackArguments& arguments);

}  // namespace stiction::internal
