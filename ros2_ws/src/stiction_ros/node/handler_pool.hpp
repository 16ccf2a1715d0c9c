#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "stiction_ros/request_handler.hpp"

namespace stiction_ros {

/// Lends every callback a RequestHandler of its own; there are as many as callbacks ever ran at once.
class HandlerPool {
 public:
  /// @param cancelled as of RequestHandler; from any thread
  HandlerPool(const RequestLimits& limits, std::function<bool()> cancelled)
      : limits_(limits), cancelled_(std::move(cancelled))
  {
  }

  /// For callbacks that begin from now on.
  void set_robot(const std::string& urdf)
  {
    const std::lock_guard lock(mutex_);
    robot_ = std::make_shared<const std::string>(urdf);
  }

  /// Calls work(handler); only this call uses the handler meanwhile.
  template <typename Work>
  void lend(Work work)
  {
    Entry entry = take();
    work(*entry.handler);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(entry));
  }

 private:
  struct Entry {
    std::unique_ptr<RequestHandler> handler;
    std::shared_ptr<const std::string> robot;  ///< that the handler has
  };

  Entry take()
  {
    Entry entry;
    std::shared_ptr<const std::string> robot;
    {
      const std::lock_guard lock(mutex_);
      robot = robot_;
      if (!idle_.empty()) {
        entry = std::move(idle_.back());  // the last one used: its robots are loaded
        idle_.pop_back();
      }
    }
    if (!entry.handler) entry.handler = std::make_unique<RequestHandler>(limits_, cancelled_);
    if (entry.robot != robot) {
      entry.handler->set_robot(*robot);
      entry.robot = robot;
    }
    return entry;
  }

  const RequestLimits limits_;
  const std::function<bool()> cancelled_;
  std::mutex mutex_;
  std::shared_ptr<const std::string> robot_ = std::make_shared<const std::string>();
  std::vector<Entry> idle_;
};

}  // namespace stiction_ros
