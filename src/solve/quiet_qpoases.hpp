#pragma once

#include <memory>
#include <mutex>
#include <qpOASES.hpp>
#include <shared_mutex>

namespace stiction::internal {

/// A qpOASES problem that prints nothing, from any number of threads.
///
/// qpOASES has one message handler per process, and every constructor and destructor makes it talkative again. So
/// problems are made and destroyed alone, leaving the handler silent, and solved side by side.
class QuietQpoases {
 public:
  QuietQpoases(int variables, int constraints, qpOASES::HessianType hessian, const qpOASES::Options& options);
  ~QuietQpoases();
  QuietQpoases(const QuietQpoases&) = delete;
  QuietQpoases& operator=(const QuietQpoases&) = delete;

  /// Calls `work(problem)` while no other thread can wake the message handler.
  template <typename Work>
  auto run(Work&& work)
  {
    std::shared_lock<std::shared_mutex> solving(handler_mutex());
    return work(*problem_);
  }

 private:
  static std::shared_mutex& handler_mutex();
  std::unique_ptr<qpOASES::QProblem> problem_;
};

/// The most careful settings that give right answers at the apex of a cone; work limits stay with the caller (nWSR).
qpOASES::Options reliable_options();

}  // namespace stiction::internal
