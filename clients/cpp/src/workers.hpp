// The threads in which the bot's own code runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace bluke {

/// Runs jobs in a fixed number of threads. Jobs of one strand run one after the other, in the order posted.
class Workers {
 public:
  using Job = std::function<void()>;

  struct Strand {
    std::deque<Job> jobs;
    bool busy = false;  ///< in the queue of those to be run, or being run
  };

  struct Task {
    std::shared_ptr<Strand> strand;
    Job job;
  };

  /// `after` is called by a thread when a job is done, with whether another waits. Neither may throw.
  Workers(int threads, std::function<void(bool more)> after);
  /// Waits for the jobs that are being run; the others are dropped.
  ~Workers();

  /// Posts some tasks at once, so that no thread can find itself idle between two of them.
  void post(std::vector<Task> tasks);
  /// Takes no more jobs and drops those that have not begun.
  void close();
  /// Waits until nothing is left to do; false if that takes longer than `wait`.
  bool settle(std::chrono::milliseconds wait);

 private:
  void work();

  const std::function<void(bool more)> after_;
  std::mutex mutex_;
  std::condition_variable ready_, idle_;
  std::deque<std::shared_ptr<Strand>> queue_;
  std::size_t running_ = 0;
  bool closed_ = false, ending_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace bluke
