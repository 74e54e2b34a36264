// What a bot has to say and has not yet written.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "bluke/v1/play.pb.h"

namespace bluke {

/// Gathers moves into one message until it is flushed, and writes in a thread of its own: the cost of a stream is by
/// message, not by move. May be used by several threads at once.
class Outbox {
 public:
  /// `write` writes one message, in the outbox's thread; false at the end of the stream.
  Outbox(const v1::StreamLimits& limits, std::function<bool(const v1::PlayRequest&)> write);
  ~Outbox();

  /// Says a move, with the note cut off at the referee's limit; it leaves with the next flush.
  void move(v1::Move move);
  /// Says anything else, at once.
  void say(v1::PlayRequest request);
  /// Lets everything go.
  void flush();
  /// Lets everything go soon, so that one slow decision does not hold up the answers to others.
  void flush_soon();
  /// Writes nothing more; returns when the write that is under way has ended.
  void close();

 private:
  void run();

  const std::function<bool(const v1::PlayRequest&)> write_;
  const std::size_t note_bytes_, message_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<v1::PlayRequest> waiting_;
  bool gathering_ = false;  ///< the last one waiting takes more moves
  std::size_t room_ = 0;    ///< bytes that it may still take
  std::chrono::steady_clock::time_point due_ = std::chrono::steady_clock::time_point::max();
  bool closed_ = false;
  std::jthread thread_;
};

}  // namespace bluke
