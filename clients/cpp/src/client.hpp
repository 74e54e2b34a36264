// The bot's side of the stream: dial, say hello, answer turns, and dial again when the stream breaks.
//
// One thread reads the stream, one writes it, and the bot's own code runs in others, so that neither is ever held up by
// a bot that thinks. The end of a stream is never the end of a game: only the referee's goodbye or refusal, or `stop`,
// ends `run`.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "bluke/bot.hpp"
#include "bluke/v1/play.grpc.pb.h"
#include "outbox.hpp"
#include "patience.hpp"
#include "workers.hpp"

namespace bluke {

/// How long the last words of either side may take.
inline constexpr std::chrono::milliseconds parting_wait{1000};

/// The library and its version, as the hello tells it.
std::string sdk_label();

class Client {
 public:
  /// Prepares; nothing is dialled yet. The options must be complete (`with_environment`).
  Client(Factory factory, Options options);

  /// Plays until the referee says goodbye or `stop` is called. Throws SdkError and those derived from it.
  void run();
  /// Says goodbye and lets `run` return; the open games go on without this bot. May be called by any thread.
  void stop(std::string_view reason);
  /// Lets what the bot was told last come to its end; false if that takes longer than `wait`.
  bool settle(std::chrono::milliseconds wait);

 private:
  using Stream = grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>;

  /// One seat of one game. The bot belongs to the job that runs; all else is under the mutex.
  struct Seat : Workers::Strand {
    std::string game_id;
    std::uint32_t number = 0;
    std::unique_ptr<Bot> bot;
    std::uint64_t decision_id = 0;   ///< the last decision asked
    bool deciding = false;           ///< it waits for the bot, or the bot is at it
    std::optional<v1::Move> answer;  ///< to it; said again if it is asked again
    bool gone = false;               ///< nothing that it answers matters any more
  };
  using SeatPtr = std::shared_ptr<Seat>;

  /// One call of a method of the bot. `call` returns the answer if the method makes one.
  struct Work {
    std::string_view method;
    std::uint64_t decision_id = 0;  ///< 0 for what is no decision
    std::function<std::optional<std::uint32_t>(Bot&)> call;
  };

  // The stream. Each returns what went wrong, or nothing after a goodbye.
  std::optional<std::string> dial();
  std::optional<std::string> converse(Stream& stream, grpc::ClientContext& context, const v1::Welcome& welcome);
  std::string ended(Stream& stream, grpc::ClientContext& context, Outbox* box);
  std::string status(const grpc::Status& status) const;
  v1::PlayRequest hello() const;
  std::string refused(const v1::Refusal& refusal);
  void welcomed(const v1::Welcome& welcome);
  void forget_games();

  // What the referee says (client_hear.cpp).
  void hear_turns(v1::Turns& turns);
  std::optional<Workers::Task> hear_turn(v1::Turn& turn, Clock::time_point received);
  void hear(const v1::PlayResponse& response);
  void hear_game_started(const v1::GameStarted& message);
  void hear_game_over(const v1::GameOver& message);
  void hear_event(const v1::Event& message);
  SeatPtr find(const std::string& game_id, std::uint32_t number);
  SeatPtr find_or_make(const std::string& game_id, std::uint32_t number);
  /// Calls one of the bot's hooks; nothing for a seat that is not known.
  template <class Value>
  void tell(SeatPtr seat, std::string_view method, void (Bot::*hook)(const Value&), Value value);
  void warn_once(const std::string& key, const std::string& text);

  // The bot's own code (client_hear.cpp).
  Workers::Task task(SeatPtr seat, Work work);
  void perform(Seat& seat, const Work& work);
  void answered(Seat& seat, const Work& work, std::uint32_t answer);
  void failed(Seat& seat, const Work& work, const std::string& what);
  std::shared_ptr<Outbox> outbox();

  const Factory factory_;
  const Options options_;
  std::string resume_key_;
  int attempt_ = 0;
  Clock::time_point give_up_at_{};
  std::minstd_rand dice_{std::random_device{}()};
  std::set<std::string> warned_;

  std::mutex mutex_;
  std::condition_variable woken_;
  std::map<std::string, std::map<std::uint32_t, SeatPtr>> games_;
  std::shared_ptr<Outbox> outbox_;
  grpc::ClientContext* context_ = nullptr;
  bool stopped_ = false;
  bool leaving_ = false;  ///< no more decisions are begun
  std::optional<Patience> parting_;
  Workers workers_;  ///< last, since its threads use all of the above
};

}  // namespace bluke
