// Many rows on several threads, without the interpreter's lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
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

/// Calls worker(row) for every row, on up to `threads` threads with a worker of its own each: make_worker() is called
/// there. The first begins alone; the others join it when rows are left after a millisecond, so that few costly rows
/// are shared and many cheap ones do not wait for threads. What a worker writes must depend on its row alone. Holds the
/// interpreter's lock only to look for signals, ten times a second; an interrupt ends every thread after its row.
/// @throws nb::python_error then, or what a worker throws.
template <class MakeWorker>
void for_rows(std::size_t rows, int threads, MakeWorker make_worker)
{
  if (threads < 1 || threads > 1024) throw InputError("threads", "want 1 to 1024, got " + std::to_string(threads));
  const std::size_t most = std::min(static_cast<std::size_t>(threads), std::max<std::size_t>(1, rows));
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = 0;
  std::exception_ptr thrown;

  /// Rows that nobody has: fewer towards the end, so that no thread waits long for another.
  const auto take = [&](std::size_t& first, std::size_t& last) {
    constexpr std::size_t kMost = 64, kShares = 4;
    first = next;
    do {
      if (first >= rows) return false;
      last = first + std::clamp<std::size_t>((rows - first) / (kShares * most), 1, kMost);
    } while (!next.compare_exchange_weak(first, last));
    return true;
  };
  const auto work = [&] {
    try {
      auto worker = make_worker();
      for (std::size_t first = 0, last = 0; !stop && take(first, last);)
        for (std::size_t row = first; row < last && !stop; ++row) worker(row);
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
    std::unique_lock lock(mutex);
    const auto start = [&](std::size_t count) {
      running += count;
      for (; count > 0; --count) pool.emplace_back(work);
    };
    const auto done_within = [&](std::chrono::milliseconds time) {
      return ended.wait_for(lock, time, [&] { return running == 0; });
    };
    start(1);
    if (most > 1 && !done_within(std::chrono::milliseconds(1)) && next < rows) start(most - 1);
    while (!done_within(std::chrono::milliseconds(100))) {
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
