#include <doctest/doctest.h>
#include <google/protobuf/text_format.h>

#include "wire.hpp"

namespace v1 = bluke::v1;
namespace wire = bluke::wire;
using namespace bluke::literals;
using namespace std::chrono_literals;

namespace {

template <class Message>
Message parsed(const char* text) {
  Message message;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

const bluke::Clock::time_point now{5s};

}  // namespace

TEST_CASE("every field of a turn reaches the view") {
  const auto turn = parsed<v1::Turn>(R"(
    game_id: "5f0c" seat: 1 decision_id: 9 asked: ASKED_PLAY legal: [48, 52]
    decision_left_ms: 2000 bank_left_ms: 59400
    last { decision_id: 6 measured_us: 2603120 excused_us: 3120 applied: 39 by_referee: true excused: true }
    view {
      rules {
        seats: 3 variant: VARIANT_NEW_JERSEY max_hand: 4 last_hand: 5 hands: [4, 3, 2] custom_hands: true
        bluke_led: BLUKE_LED_TRUMP cut: CUT_RULE_PLAYER
      }
      totals: [-10, 20, 0] hand: 7 size: 4 dealer: 2 trump: TRUMP_CLUBS turned: 0 cards: [5, 48, 52]
      bids: [1, 0, 2]
      tricks { leader: 2 cards: [19, 15, 39] winner: 0 }
      tricks { leader: 2 cards: [49, 47] }
      tricks_won: [0, 0, 1]
    }
    again: true)");
  const auto view = wire::read_play(turn, now);
  CHECK(view.game_id == "5f0c");
  CHECK(view.seat == 1);
  CHECK(view.decision_id == 9);
  CHECK(view.legal == std::vector{"JS"_card, "LO"_card});
  CHECK(view.received == now);
  CHECK(view.time_left == 2000ms);
  CHECK(view.bank_left == 59400ms);
  REQUIRE(view.last);
  CHECK(view.last->decision_id == 6);
  CHECK(view.last->measured == 2603120us);
  CHECK(view.last->excused_time == 3120us);
  CHECK(view.last->applied == 39);
  CHECK(view.last->by_referee);
  CHECK(view.last->excused);
  CHECK(view.rules == bluke::Rules{.seats = 3,
                                   .variant = bluke::Variant::new_jersey,
                                   .hands = {4, 3, 2},
                                   .bluke_led = bluke::BlukeLed::trump,
                                   .cut = bluke::CutRule::player,
                                   .max_hand = 4,
                                   .last_hand = 5,
                                   .custom_hands = true});
  CHECK(view.totals == std::vector{-10, 20, 0});
  CHECK(view.hand == 7);
  CHECK(view.size == 4);
  CHECK(view.dealer == 2);
  CHECK(view.trump == bluke::Suit::clubs);
  CHECK(view.turned == "2C"_card);
  CHECK(view.cards == std::vector{"7C"_card, "JS"_card, "LO"_card});
  CHECK(view.bids == std::vector<std::optional<int>>{1, std::nullopt, 2});
  CHECK(view.tricks == std::vector<bluke::Trick>{{2, {"8D"_card, "4D"_card, "2S"_card}, 0},
                                                 {2, {"QS"_card, "TS"_card}, std::nullopt}});
  CHECK(view.tricks_won == std::vector{0, 0, 1});
  CHECK(view.again);
}

TEST_CASE("what is left out is absent, or zero where the protocol says so") {
  const auto view = wire::read_bid(parsed<v1::Turn>("asked: ASKED_BID legal: [1, 2]"), now);
  CHECK(view.legal == std::vector{1, 2});
  CHECK_FALSE(view.time_left);
  CHECK_FALSE(view.bank_left);
  CHECK_FALSE(view.last);
  CHECK_FALSE(view.trump);
  CHECK_FALSE(view.turned);
  CHECK_FALSE(view.again);
  CHECK_FALSE(view.rules.max_hand);
  CHECK(view.rules.variant == bluke::Variant::other);
  CHECK(view.tricks.empty());
  CHECK(wire::read_cut(parsed<v1::Turn>("legal: [0, 1]"), now).legal == std::vector{0, 1});
}

TEST_CASE("no trump and an unknown trump are none") {
  CHECK_FALSE(wire::read_bid(parsed<v1::Turn>("view { trump: TRUMP_NONE }"), now).trump);
  v1::Turn turn;
  turn.mutable_view()->set_trump(v1::Trump(99));
  CHECK_FALSE(wire::read_bid(turn, now).trump);
}

TEST_CASE("cards and numbers that cannot be held are refused") {
  for (const char* text : {"legal: 54", "view { cards: 54 }", "view { turned: 4294967295 }",
                           "view { hand: 4294967295 }", "view { tricks { cards: 60 } }", "seat: 2147483648"}) {
    CHECK_THROWS_AS(wire::read_play(parsed<v1::Turn>(text), now), std::out_of_range);
  }
}

TEST_CASE("every field of a game's beginning is read") {
  const auto game = wire::read_game_started(parsed<v1::GameStarted>(R"(
    game_id: "g" seat: 1 match_id: "m" rules { seats: 2 hands: [1] }
    players { name: "a" version: "1" sdk: "s" author: "w" } players { name: "b" }
    limits { policy: POLICY_STRICT decision_ms: 0 wall_ms: 600000 grace_ms: 5000 max_faults: 3 }
    commitment: "\001\377" draw { cards { seat: 0 card: 53 } cards { seat: 1 card: 2 } } dealer: 0 scorekeeper: 1)"));
  CHECK(game.game_id == "g");
  CHECK(game.seat == 1);
  CHECK(game.match_id == "m");
  CHECK(game.rules.seats == 2);
  REQUIRE(game.players.size() == 2);
  CHECK(game.players[0].name + game.players[0].version + game.players[0].sdk + game.players[0].author == "a1sw");
  CHECK(game.players[1].name == "b");
  CHECK(game.limits.policy == bluke::Policy::strict);
  CHECK(game.limits.decision == 0ms);
  CHECK_FALSE(game.limits.bank);
  CHECK(game.limits.wall == 10min);
  CHECK(game.limits.grace == 5s);
  CHECK(game.limits.max_faults == 3);
  CHECK(game.commitment == "\x01\xFF");
  CHECK(game.draw == bluke::Rounds{{{0, "HI"_card}, {1, "4C"_card}}});
  CHECK(game.dealer == 0);
  CHECK(game.scorekeeper == 1);
}

TEST_CASE("every field of a hand's and a game's end is read") {
  const auto hand = wire::read_hand_scored(parsed<v1::HandScored>(R"(
    game_id: "g" seat: 1
    result { hand: 2 bids: [1, 2, 3, 1] tricks: [1, 3, 0, 0] points: [10, 21, -30, -10] totals: [1, -2, 3, 4]
             outcomes: [OUTCOME_PERFECT, OUTCOME_OVERTRICKS, OUTCOME_SET, OUTCOME_UNSPECIFIED] })"));
  CHECK(hand.game_id == "g");
  CHECK(hand.seat == 1);
  CHECK(hand.hand == 2);
  CHECK(hand.bids == std::vector{1, 2, 3, 1});
  CHECK(hand.tricks == std::vector{1, 3, 0, 0});
  CHECK(hand.points == std::vector{10, 21, -30, -10});
  CHECK(hand.totals == std::vector{1, -2, 3, 4});
  using bluke::Outcome;
  CHECK(hand.outcomes == std::vector{Outcome::perfect, Outcome::overtricks, Outcome::set, Outcome::other});

  const auto game = wire::read_game_over(parsed<v1::GameOver>(R"(
    game_id: "g" seat: 1 game_seed: "seed"
    result { status: GAME_STATUS_FORFEITED totals: [5, -6] places: [1, 2] faults: [0, 1] played_out: 1 reason: "why" })"));
  CHECK(game.game_id == "g");
  CHECK(game.seat == 1);
  CHECK(game.status == bluke::Status::forfeited);
  CHECK(game.totals == std::vector{5, -6});
  CHECK(game.places == std::vector{1, 2});
  CHECK(game.faults == std::vector{0, 1});
  CHECK(game.played_out == std::vector{1});
  CHECK(game.reason == "why");
  CHECK(game.game_seed == "seed");
  CHECK_FALSE(wire::read_game_over(v1::GameOver()).game_seed);
}

TEST_CASE("every public event is read, and what is told otherwise is none") {
  const auto event = [](const char* text) { return wire::read_event(parsed<v1::Event>(text)); };
  const auto dealt =
      event(R"(game_id: "g" hand_dealt { hand: 1 size: 2 dealer: 3 cut: 0 turned: 52 trump: TRUMP_NONE })");
  REQUIRE(dealt);
  const auto& hand = std::get<bluke::HandDealt>(*dealt);
  CHECK(hand.game_id == "g");
  CHECK(hand.cut == 0);
  CHECK(hand.turned == bluke::lo);
  CHECK_FALSE(hand.trump);
  CHECK(std::get<bluke::BidMade>(*event("bid_made { hand: 1 seat: 2 bid: 3 }")).bid == 3);
  CHECK(std::get<bluke::CardPlayed>(*event("card_played { trick: 4 card: 53 }")).card == bluke::hi);
  CHECK(std::get<bluke::TrickTaken>(*event("trick_taken { winner: 2 }")).winner == 2);
  const auto fault = event("fault_charged { kind: FAULT_KIND_TIMEOUT played_out: true }");
  CHECK(std::get<bluke::FaultCharged>(*fault).kind == bluke::FaultKind::timeout);
  CHECK(std::get<bluke::FaultCharged>(*fault).played_out);
  CHECK_FALSE(event("hand_result { hand: 1 }"));
  CHECK_FALSE(event(""));
}
