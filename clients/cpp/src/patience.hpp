// Something done unless something else comes in time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace bluke {

/// Calls `then` in a thread of its own after `wait`, unless it is destroyed before.
class Patience {
 public:
  Patience(std::chrono::milliseconds wait, std::function<void()> then)
      : thread_([wait, then = std::move(then)](std::stop_token stop) {
          std::mutex mutex;
          std::condition_variable_any woken;
          std::unique_lock lock(mutex);
          woken.wait_for(lock, stop, wait, [] { return false; });
          if (!stop.stop_requested()) then();
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace bluke
