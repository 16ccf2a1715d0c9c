#pragma once

#include <stdexcept>
#include <string>

namespace stiction {

/// The one exception of the library: what was given cannot be used.
///
/// The message reads "<path>: want …, got …"; path() names the offending entry, e.g. "contacts[2].normal".
/// Numerical outcomes are never exceptions, see Outcome and Verdict.
class InputError : public std::runtime_error {
 public:
  InputError(std::string path, const std::string& message)
      : std::runtime_error(path.empty() ? message : path + ": " + message), path_(std::move(path))
  {
  }

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace stiction
