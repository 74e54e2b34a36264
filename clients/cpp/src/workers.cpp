#include "workers.hpp"

#include <utility>

namespace bluke {

Workers::Workers(int threads, std::function<void(bool)> after) : after_(std::move(after)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  close();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ready_.notify_all();
}

void Workers::post(std::vector<Task> tasks) {
  std::size_t woken = 0;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    for (Task& task : tasks) {
      task.strand->jobs.push_back(std::move(task.job));
      if (!std::exchange(task.strand->busy, true)) {
        queue_.push_back(std::move(task.strand));
        ++woken;
      }
    }
  }
  woken == 1 ? ready_.notify_one() : ready_.notify_all();
}

void Workers::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& strand : queue_) strand->jobs.clear();
  queue_.clear();
  if (running_ == 0) idle_.notify_all();
}

bool Workers::settle(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, wait, [this] { return queue_.empty() && running_ == 0; });
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ready_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (ending_) return;
    const std::shared_ptr<Strand> strand = std::move(queue_.front());
    queue_.pop_front();
    Job job = std::move(strand->jobs.front());
    strand->jobs.pop_front();
    ++running_;
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    --running_;
    if (closed_) strand->jobs.clear();
    strand->busy = !strand->jobs.empty();
    if (strand->busy) queue_.push_back(strand);
    const bool more = !queue_.empty();
    if (!more && running_ == 0) idle_.notify_all();
    lock.unlock();
    after_(more);
    lock.lock();
  }
}

}  // namespace bluke
