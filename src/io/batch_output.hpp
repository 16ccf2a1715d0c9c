// The results file of a batch, and the file beside it that says what they answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "io/batch.hpp"

namespace stiction::internal {

/// What results depend on, files as SHA-256: results of other inputs are not continued.
struct BatchOrigin {
  std::string program;   ///< version
  std::string scenario;  ///< the file
  std::string set;       ///< overrides, the question's too
  std::string urdf;      ///< of all models
  std::string rows;      ///< the inputs; empty for a pipe
  std::string shard;     ///< "3/16", not hashed; empty for all rows

  std::string json() const;
};

/// @param urdf SHA-256 by model
BatchOrigin origin_of(const BatchArguments& arguments, const std::vector<std::pair<std::string, std::string>>& urdf);

/// Appends to a file that nobody else is writing, and says so when the disk does not take it.
class BatchOutput {
 public:
  /// Opens and locks it; what is in it stays.
  explicit BatchOutput(const std::string& file);
  ~BatchOutput();
  BatchOutput(const BatchOutput&) = delete;
  BatchOutput& operator=(const BatchOutput&) = delete;

  std::uint64_t size() const { return size_; }  ///< when it was opened; 0 of a pipe or device

  /// Drops everything after `size` bytes and goes on from there.
  void resume_at(std::uint64_t size);
  void write(const std::string& text);
  void sync();

  /// Writes the origin into FILE.inputs; pipes and devices have none.
  void write_origin(const BatchOrigin& origin) const;
  /// @throws InputError when FILE.inputs is not about the same inputs
  void require_origin(const BatchOrigin& origin) const;

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string name_;
  int fd_ = -1;
  bool regular_ = false;
  std::uint64_t size_ = 0;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

}  // namespace stiction::internal
