#include "outbox.hpp"

#include <algorithm>
#include <utility>

#include "text.hpp"

namespace bluke {
namespace {

using Clock = std::chrono::steady_clock;

// A gathered message stays well below the referee's limit on one, and is worth no delay beyond this.
constexpr int most_moves = 64;
// How long an answer may wait for company while the bot thinks about something else.
constexpr auto soon = std::chrono::milliseconds(2);

std::size_t or_default(std::uint32_t limit, std::size_t standard) { return limit ? limit : standard; }

}  // namespace

Outbox::Outbox(const v1::StreamLimits& limits, std::function<bool(const v1::PlayRequest&)> write)
    : write_(std::move(write)),
      note_bytes_(or_default(limits.max_note_bytes(), 1024)),
      message_bytes_(or_default(limits.max_message_bytes(), 65'536) / 2),
      thread_([this] { run(); }) {}

Outbox::~Outbox() { close(); }

void Outbox::move(v1::Move move) {
  if (move.has_note()) move.set_note(clip(move.note(), note_bytes_));
  // The move, its tag and its length.
  const std::size_t size = move.ByteSizeLong() + 8;
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  if (!gathering_ || waiting_.back().moves().moves_size() == most_moves || room_ < size) {
    waiting_.emplace_back();
    gathering_ = true;
    room_ = message_bytes_;
  }
  *waiting_.back().mutable_moves()->add_moves() = std::move(move);
  room_ -= std::min(room_, size);
}

void Outbox::say(v1::PlayRequest request) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    waiting_.push_back(std::move(request));
    gathering_ = false;
  }
  flush();
}

void Outbox::flush() {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return;
    due_ = Clock::time_point::min();
  }
  changed_.notify_one();
}

void Outbox::flush_soon() {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || due_ != Clock::time_point::max()) return;
    due_ = Clock::now() + soon;
  }
  changed_.notify_one();
}

void Outbox::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Outbox::run() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (due_ == Clock::time_point::max()) {
      changed_.wait(lock);
      continue;
    }
    if (due_ > Clock::now()) {
      changed_.wait_until(lock, due_);
      continue;
    }
    std::vector<v1::PlayRequest> requests = std::exchange(waiting_, {});
    gathering_ = false;
    due_ = Clock::time_point::max();
    lock.unlock();
    // At the end of the stream there is nobody to tell; the reader sees it too and says why.
    const bool written = std::ranges::all_of(requests, write_);
    lock.lock();
    if (!written) closed_ = true;
  }
}

}  // namespace bluke
