#include "wire.hpp"

#include <limits>
#include <stdexcept>

namespace bluke::wire {
namespace {

int number(std::uint32_t value) {
  if (value > std::uint32_t{std::numeric_limits<int>::max()}) {
    throw std::out_of_range("the referee sent " + std::to_string(value) + ", which is too large for anything here");
  }
  return static_cast<int>(value);
}

std::optional<int> number(bool present, std::uint32_t value) {
  return present ? std::optional(number(value)) : std::nullopt;
}

std::optional<Card> card(bool present, std::uint32_t index) {
  return present ? std::optional(Card(index)) : std::nullopt;
}

template <class Wire>
std::vector<int> numbers(const Wire& wire) {
  std::vector<int> values;
  values.reserve(static_cast<std::size_t>(wire.size()));
  for (const auto value : wire) {
    if constexpr (std::is_signed_v<decltype(value)>) {
      values.push_back(value);
    } else {
      values.push_back(number(value));
    }
  }
  return values;
}

template <class Wire>
std::vector<Card> cards(const Wire& wire) {
  std::vector<Card> values;
  values.reserve(static_cast<std::size_t>(wire.size()));
  for (const std::uint32_t index : wire) values.emplace_back(index);
  return values;
}

std::optional<Suit> trump(v1::Trump value) {
  switch (value) {
    case v1::TRUMP_CLUBS:
      return Suit::clubs;
    case v1::TRUMP_DIAMONDS:
      return Suit::diamonds;
    case v1::TRUMP_HEARTS:
      return Suit::hearts;
    case v1::TRUMP_SPADES:
      return Suit::spades;
    default:
      return std::nullopt;
  }
}

Outcome outcome(int value) {
  switch (value) {
    case v1::OUTCOME_SET:
      return Outcome::set;
    case v1::OUTCOME_OVERTRICKS:
      return Outcome::overtricks;
    case v1::OUTCOME_PERFECT:
      return Outcome::perfect;
    default:
      return Outcome::other;
  }
}

Policy policy(v1::Policy value) {
  switch (value) {
    case v1::POLICY_LENIENT:
      return Policy::lenient;
    case v1::POLICY_STRICT:
      return Policy::strict;
    default:
      return Policy::other;
  }
}

Status status(v1::GameStatus value) {
  switch (value) {
    case v1::GAME_STATUS_COMPLETE:
      return Status::complete;
    case v1::GAME_STATUS_FORFEITED:
      return Status::forfeited;
    case v1::GAME_STATUS_VOID:
      return Status::void_game;
    default:
      return Status::other;
  }
}

FaultKind fault_kind(v1::FaultKind value) {
  switch (value) {
    case v1::FAULT_KIND_ILLEGAL:
      return FaultKind::illegal;
    case v1::FAULT_KIND_TIMEOUT:
      return FaultKind::timeout;
    case v1::FAULT_KIND_DISCONNECTED:
      return FaultKind::disconnected;
    case v1::FAULT_KIND_PROTOCOL:
      return FaultKind::protocol;
    case v1::FAULT_KIND_CRASH:
      return FaultKind::crash;
    default:
      return FaultKind::other;
  }
}

Variant variant(v1::Variant value) {
  switch (value) {
    case v1::VARIANT_STANDARD:
      return Variant::standard;
    case v1::VARIANT_NEW_JERSEY:
      return Variant::new_jersey;
    default:
      return Variant::other;
  }
}

BlukeLed bluke_led(v1::BlukeLed value) {
  switch (value) {
    case v1::BLUKE_LED_FREE:
      return BlukeLed::free;
    case v1::BLUKE_LED_TRUMP:
      return BlukeLed::trump;
    default:
      return BlukeLed::other;
  }
}

CutRule cut_rule(v1::CutRule value) {
  switch (value) {
    case v1::CUT_RULE_TAP:
      return CutRule::tap;
    case v1::CUT_RULE_PLAYER:
      return CutRule::player;
    default:
      return CutRule::other;
  }
}

std::chrono::milliseconds ms(std::uint32_t value) { return std::chrono::milliseconds(value); }

std::optional<std::chrono::milliseconds> ms(bool present, std::uint32_t value) {
  return present ? std::optional(ms(value)) : std::nullopt;
}

std::vector<Player> players(const v1::GameStarted& message) {
  std::vector<Player> players;
  for (const v1::Player& player : message.players()) {
    players.push_back({player.name(), player.version(), player.sdk(), player.author()});
  }
  return players;
}

Limits limits(const v1::GameLimits& from) {
  return {
      .policy = policy(from.policy()),
      .decision = ms(from.has_decision_ms(), from.decision_ms()),
      .bank = ms(from.has_bank_ms(), from.bank_ms()),
      .wall = ms(from.wall_ms()),
      .grace = ms(from.grace_ms()),
      .max_faults = number(from.max_faults()),
  };
}

Rounds rounds(const v1::GameStarted& message) {
  Rounds rounds;
  for (const v1::DrawRound& round : message.draw()) {
    auto& drawn = rounds.emplace_back();
    for (const v1::DrawnCard& one : round.cards()) drawn.push_back({number(one.seat()), Card(one.card())});
  }
  return rounds;
}

std::vector<Outcome> outcomes(const v1::HandResult& result) {
  std::vector<Outcome> outcomes;
  for (const int value : result.outcomes()) outcomes.push_back(outcome(value));
  return outcomes;
}

Trick read_trick(const v1::Trick& trick) {
  return {
      .leader = number(trick.leader()),
      .cards = cards(trick.cards()),
      .winner = number(trick.has_winner(), trick.winner()),
  };
}

void read_view(const v1::Turn& turn, Clock::time_point received, View& view) {
  const v1::View& from = turn.view();
  view.game_id = turn.game_id();
  view.seat = number(turn.seat());
  view.decision_id = turn.decision_id();
  view.rules = read_rules(from.rules());
  view.totals = numbers(from.totals());
  view.hand = number(from.hand());
  view.size = number(from.size());
  view.dealer = number(from.dealer());
  if (from.has_trump()) view.trump = trump(from.trump());
  view.turned = card(from.has_turned(), from.turned());
  view.cards = cards(from.cards());
  for (const std::uint32_t bid : from.bids()) view.bids.push_back(bid ? std::optional(number(bid)) : std::nullopt);
  view.tricks.reserve(static_cast<std::size_t>(from.tricks_size()));
  for (const v1::Trick& trick : from.tricks()) view.tricks.push_back(read_trick(trick));
  view.tricks_won = numbers(from.tricks_won());
  if (turn.has_last()) {
    const v1::LastDecision& last = turn.last();
    view.last = {
        .decision_id = last.decision_id(),
        .measured = std::chrono::microseconds(last.measured_us()),
        .excused_time = std::chrono::microseconds(last.excused_us()),
        .applied = last.applied(),
        .by_referee = last.by_referee(),
        .excused = last.excused(),
    };
  }
  view.again = turn.again();
  view.received = received;
  view.time_left = ms(turn.has_decision_left_ms(), turn.decision_left_ms());
  view.bank_left = ms(turn.has_bank_left_ms(), turn.bank_left_ms());
}

}  // namespace

CutView read_cut(const v1::Turn& turn, Clock::time_point received) {
  CutView view;
  read_view(turn, received, view);
  view.legal = numbers(turn.legal());
  return view;
}

BidView read_bid(const v1::Turn& turn, Clock::time_point received) {
  BidView view;
  read_view(turn, received, view);
  view.legal = numbers(turn.legal());
  return view;
}

PlayView read_play(const v1::Turn& turn, Clock::time_point received) {
  PlayView view;
  read_view(turn, received, view);
  view.legal = cards(turn.legal());
  return view;
}

Rules read_rules(const v1::Rules& from) {
  return {
      .seats = number(from.seats()),
      .variant = variant(from.variant()),
      .hands = numbers(from.hands()),
      .bluke_led = bluke_led(from.bluke_led()),
      .cut = cut_rule(from.cut()),
      .max_hand = number(from.has_max_hand(), from.max_hand()),
      .last_hand = number(from.has_last_hand(), from.last_hand()),
      .custom_hands = from.custom_hands(),
  };
}

GameStarted read_game_started(const v1::GameStarted& message) {
  return {
      .game_id = message.game_id(),
      .seat = number(message.seat()),
      .match_id = message.match_id(),
      .rules = read_rules(message.rules()),
      .players = players(message),
      .limits = limits(message.limits()),
      .commitment = message.commitment(),
      .draw = rounds(message),
      .dealer = number(message.dealer()),
      .scorekeeper = number(message.scorekeeper()),
  };
}

HandScored read_hand_scored(const v1::HandScored& message) {
  const v1::HandResult& result = message.result();
  return {
      .game_id = message.game_id(),
      .seat = number(message.seat()),
      .hand = number(result.hand()),
      .bids = numbers(result.bids()),
      .tricks = numbers(result.tricks()),
      .points = numbers(result.points()),
      .totals = numbers(result.totals()),
      .outcomes = outcomes(result),
  };
}

GameOver read_game_over(const v1::GameOver& message) {
  const v1::GameResult& result = message.result();
  return {
      .game_id = message.game_id(),
      .seat = number(message.seat()),
      .status = status(result.status()),
      .totals = numbers(result.totals()),
      .places = numbers(result.places()),
      .faults = numbers(result.faults()),
      .played_out = numbers(result.played_out()),
      .reason = result.reason(),
      .game_seed = message.has_game_seed() ? std::optional(message.game_seed()) : std::nullopt,
  };
}

std::optional<Event> read_event(const v1::Event& message) {
  const std::string& game = message.game_id();
  switch (message.event_case()) {
    case v1::Event::kHandDealt: {
      const v1::HandDealt& from = message.hand_dealt();
      return HandDealt{
          game,
          number(from.hand()),
          number(from.size()),
          number(from.dealer()),
          number(from.has_cut(), from.cut()),
          card(from.has_turned(), from.turned()),
          trump(from.trump()),
      };
    }
    case v1::Event::kBidMade: {
      const v1::BidMade& from = message.bid_made();
      return BidMade{game, number(from.hand()), number(from.seat()), number(from.bid())};
    }
    case v1::Event::kCardPlayed: {
      const v1::CardPlayed& from = message.card_played();
      return CardPlayed{game, number(from.hand()), number(from.trick()), number(from.seat()), Card(from.card())};
    }
    case v1::Event::kTrickTaken: {
      const v1::TrickTaken& from = message.trick_taken();
      return TrickTaken{game, number(from.hand()), number(from.trick()), number(from.winner())};
    }
    case v1::Event::kFaultCharged: {
      const v1::FaultCharged& from = message.fault_charged();
      return FaultCharged{game, number(from.hand()), number(from.seat()), fault_kind(from.kind()), from.played_out()};
    }
    default:
      return std::nullopt;
  }
}

}  // namespace bluke::wire
