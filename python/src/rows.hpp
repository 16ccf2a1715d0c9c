// Many rows on several threads, without the interpreter's lock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "types.hpp"

namespace stiction::python {

/// Verdicts in columns.
inline std::int8_t code_of(Verdict verdict)
{
  return verdict == Verdict::kHolds ? 1 : verdict == Verdict::kFails ? 0 : -1;
}

/// Rows that could not be used, and why.
class BadRows {
 public:
  void add(std::size_t row, const std::string& message)
  {
    const std::lock_guard lock(mutex_);
    list_.emplace_back(row, message);
  }

  /// [(row, message)], in the order of the rows.
  nb::list to_python()
  {
    std::sort(list_.begin(), list_.end());
    nb::list result;
    for (const auto& [row, message] : list_) result.append(nb::make_tuple(row, text_of(message)));
    return result;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::size_t, std::string>> list_;
};

/// Calls worker(row) for every row, on `threads` threads with a worker of its own each: make_worker() is called there.
/// What a worker writes must depend on its row alone. Holds the interpreter's lock only to look for signals, ten times
/// a second; an interrupt ends every thread after its row. @throws nb::python_error then, or what a worker throws.
template <class MakeWorker>
void for_rows(std::size_t rows, int threads, MakeWorker make_worker)
{
  if (threads < 1 || threads > 1024) throw InputError("threads", "want 1 to 1024, got " + std::to_string(threads));
  constexpr std::size_t kChunk = 64;  // rows between looks at the clock of all
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running =
      std::min<std::size_t>(static_cast<std::size_t>(threads), std::max<std::size_t>(1, rows / kChunk));
  std::exception_ptr thrown;

  const auto work = [&] {
    try {
      auto worker = make_worker();
      for (std::size_t first; !stop && (first = next.fetch_add(kChunk)) < rows;)
        for (std::size_t row = first; row < std::min(rows, first + kChunk) && !stop; ++row) worker(row);
    } catch (...) {
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
      stop = true;
    }
    const std::lock_guard lock(mutex);
    if (--running == 0) ended.notify_all();
  };

  bool interrupted = false;
  {
    nb::gil_scoped_release released;
    std::vector<std::jthread> pool;
    for (std::size_t i = running; i > 0; --i) pool.emplace_back(work);
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
      lock.unlock();
      {
        nb::gil_scoped_acquire acquired;
        if (!interrupted && PyErr_CheckSignals() != 0) interrupted = stop = true;
      }
      lock.lock();
    }
  }
  if (interrupted) throw nb::python_error();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace stiction::python
