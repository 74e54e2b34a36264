// The other half of the client: what the referee says, and the bot's own code.
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "client.hpp"
#include "names.hpp"
#include "text.hpp"
#include "wire.hpp"

namespace bluke {
namespace {

constexpr std::size_t detail_bytes = 4096;

std::string where(std::string_view method, std::uint64_t decision_id, const std::string& game_id, std::uint32_t seat) {
  std::string text(method);
  if (decision_id) text += (text.empty() ? "decision " : ", decision ") + std::to_string(decision_id);
  return text + " of game " + game_id + ", seat " + std::to_string(seat);
}

std::uint32_t count(int answer, std::string_view method) {
  if (answer < 0) {
    throw std::out_of_range(std::string(method) + " returned " + std::to_string(answer) +
                            ": it must return a number out of view.legal");
  }
  return static_cast<std::uint32_t>(answer);
}

}  // namespace

// What the referee says

void Client::hear_turns(v1::Turns& turns) {
  const Clock::time_point received = Clock::now();
  std::vector<Workers::Task> tasks;
  for (v1::Turn& turn : *turns.mutable_turns()) {
    if (auto task = hear_turn(turn, received)) tasks.push_back(std::move(*task));
  }
  workers_.post(std::move(tasks));
  if (const auto box = outbox()) box->flush_soon();
}

std::optional<Workers::Task> Client::hear_turn(v1::Turn& turn, Clock::time_point received) {
  Work work{.method = {}, .decision_id = turn.decision_id(), .call = {}};
  switch (turn.asked()) {
    case v1::ASKED_CUT:
      work.method = "cut";
      break;
    case v1::ASKED_BID:
      work.method = "bid";
      break;
    case v1::ASKED_PLAY:
      work.method = "play";
      break;
    default:
      warn_once("asked " + std::to_string(turn.asked()),
                "asked for " + std::to_string(turn.asked()) + ", which this SDK does not know: left to the referee");
      return std::nullopt;
  }
  SeatPtr seat = find_or_make(turn.game_id(), turn.seat());
  {
    const std::lock_guard lock(mutex_);
    if (leaving_) return std::nullopt;
    if (seat->decision_id == turn.decision_id()) {
      // Asked again on a new stream: the bot has thought about it, or still does.
      if (seat->answer && outbox_) {
        outbox_->move(*seat->answer);
        return std::nullopt;
      }
      if (seat->deciding) return std::nullopt;
    } else if (seat->deciding) {
      warn(where("", seat->decision_id, seat->game_id, seat->number) + ": its time was over before it was made");
    }
    seat->decision_id = turn.decision_id();
    seat->deciding = true;
    seat->answer.reset();
  }
  work.call = [asked = turn.asked(), turn = std::move(turn), received](Bot& bot) -> std::optional<std::uint32_t> {
    switch (asked) {
      case v1::ASKED_CUT:
        return count(bot.cut(wire::read_cut(turn, received)), "cut");
      case v1::ASKED_BID:
        return count(bot.bid(wire::read_bid(turn, received)), "bid");
      default:
        return static_cast<std::uint32_t>(bot.play(wire::read_play(turn, received)).index());
    }
  };
  return task(std::move(seat), std::move(work));
}

void Client::hear(const v1::PlayResponse& response) {
  try {
    switch (response.payload_case()) {
      case v1::PlayResponse::kGameStarted:
        hear_game_started(response.game_started());
        break;
      case v1::PlayResponse::kHandScored: {
        const v1::HandScored& scored = response.hand_scored();
        tell(find(scored.game_id(), scored.seat()), "hand_scored", &Bot::hand_scored, wire::read_hand_scored(scored));
        break;
      }
      case v1::PlayResponse::kGameOver:
        hear_game_over(response.game_over());
        break;
      case v1::PlayResponse::kEvents:
        for (const v1::Event& event : response.events().events()) hear_event(event);
        break;
      case v1::PlayResponse::kNotice: {
        const v1::MoveNotice& notice = response.notice();
        if (notice.verdict() == v1::VERDICT_STALE) break;
        warn("decision " + std::to_string(notice.decision_id()) + " of game " + notice.game_id() + ": " +
             notice.detail());
        break;
      }
      case v1::PlayResponse::kFault: {
        const v1::FaultNotice& fault = response.fault();
        warn("fault in game " + fault.game_id() + ", seat " + std::to_string(fault.seat()) + ": " + fault.detail());
        break;
      }
      case v1::PlayResponse::PAYLOAD_NOT_SET:
        warn_once("payload", "a message that this SDK does not know was skipped");
        break;
      default:
        break;
    }
  } catch (const std::out_of_range& error) {
    warn_once("unknown", "a message was skipped: " + std::string(error.what()));
  }
}

void Client::hear_game_started(const v1::GameStarted& message) {
  // Even for a bot that does not listen: makes its instance while no clock is running.
  tell(find_or_make(message.game_id(), message.seat()), "game_started", &Bot::game_started,
       wire::read_game_started(message));
}

void Client::hear_game_over(const v1::GameOver& message) {
  SeatPtr seat;
  {
    const std::lock_guard lock(mutex_);
    const auto seats = games_.find(message.game_id());
    if (seats == games_.end()) return;
    if (const auto found = seats->second.find(message.seat()); found != seats->second.end()) {
      seat = std::move(found->second);
      seat->gone = true;
      seats->second.erase(found);
    }
    if (seats->second.empty()) games_.erase(seats);
  }
  tell(std::move(seat), "game_over", &Bot::game_over, wire::read_game_over(message));
}

void Client::hear_event(const v1::Event& message) {
  if (!options_.events) return;
  const std::optional<Event> event = wire::read_event(message);
  if (!event) return;
  std::vector<SeatPtr> seats;
  {
    const std::lock_guard lock(mutex_);
    const auto game = games_.find(message.game_id());
    if (game == games_.end()) return;
    for (const auto& [number, seat] : game->second) seats.push_back(seat);
  }
  for (SeatPtr& seat : seats) tell(std::move(seat), "event", &Bot::event, *event);
}

Client::SeatPtr Client::find(const std::string& game_id, std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto seats = games_.find(game_id);
  if (seats == games_.end()) return nullptr;
  const auto seat = seats->second.find(number);
  return seat == seats->second.end() ? nullptr : seat->second;
}

Client::SeatPtr Client::find_or_make(const std::string& game_id, std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  SeatPtr& seat = games_[game_id][number];
  if (!seat) {
    seat = std::make_shared<Seat>();
    seat->game_id = game_id;
    seat->number = number;
  }
  return seat;
}

template <class Value>
void Client::tell(SeatPtr seat, std::string_view method, void (Bot::*hook)(const Value&), Value value) {
  if (!seat) return;
  Work work{.method = method, .decision_id = 0, .call = [hook, value = std::move(value)](Bot& bot) {
              (bot.*hook)(value);
              return std::optional<std::uint32_t>();
            }};
  std::vector<Workers::Task> tasks;
  tasks.push_back(task(std::move(seat), std::move(work)));
  workers_.post(std::move(tasks));
}

void Client::warn_once(const std::string& key, const std::string& text) {
  if (warned_.insert(key).second) warn(text);
}

// The bot's own code

Workers::Task Client::task(SeatPtr seat, Work work) {
  // Whoever runs the job holds its seat.
  return {seat, [this, &seat = *seat, work = std::move(work)] { perform(seat, work); }};
}

void Client::perform(Seat& seat, const Work& work) {
  if (work.decision_id) {
    const std::lock_guard lock(mutex_);
    if (leaving_ || seat.gone || seat.decision_id != work.decision_id) return;
  }
  try {
    if (!seat.bot) seat.bot = factory_();
    if (!seat.bot) throw std::logic_error("the factory made no bot");
    seat.bot->note_.reset();
    if (const auto answer = work.call(*seat.bot)) answered(seat, work, *answer);
  } catch (const std::exception& error) {
    failed(seat, work, type_name(typeid(error)) + ": " + error.what());
  } catch (...) {
    failed(seat, work, "something was thrown that is no std::exception");
  }
}

void Client::answered(Seat& seat, const Work& work, std::uint32_t answer) {
  v1::Move move;
  move.set_game_id(seat.game_id);
  move.set_decision_id(work.decision_id);
  if (work.method == "cut") {
    move.set_cut(answer);
  } else if (work.method == "bid") {
    move.set_bid(answer);
  } else {
    move.set_card(answer);
  }
  if (seat.bot->note_) move.set_note(valid_utf8(*seat.bot->note_));
  const std::lock_guard lock(mutex_);
  if (seat.gone || seat.decision_id != work.decision_id) return;
  seat.deciding = false;
  // Without a stream the answer waits for the decision to be asked again.
  if (outbox_) outbox_->move(move);
  seat.answer = std::move(move);
}

void Client::failed(Seat& seat, const Work& work, const std::string& what) {
  warn(options_.name + " failed on " + where(work.method, work.decision_id, seat.game_id, seat.number) + ":\n" + what);
  v1::PlayRequest request;
  v1::BotError& error = *request.mutable_error();
  error.set_game_id(seat.game_id);
  error.set_decision_id(work.decision_id);
  error.set_detail(clip(valid_utf8(std::string(work.method) + ": " + what), detail_bytes, true));
  const std::lock_guard lock(mutex_);
  if (work.decision_id) {
    if (seat.gone || seat.decision_id != work.decision_id) return;
    seat.deciding = false;
  }
  if (outbox_ && work.method != "game_over") outbox_->say(std::move(request));
}

std::shared_ptr<Outbox> Client::outbox() {
  const std::lock_guard lock(mutex_);
  return outbox_;
}

}  // namespace bluke
