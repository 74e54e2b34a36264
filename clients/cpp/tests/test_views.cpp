#include <doctest/doctest.h>

#include <bluke/views.hpp>

using bluke::Card;
using bluke::Suit;
using namespace bluke::literals;

namespace {

// Seat 1 of three is to play last in the second trick of a hand of four; clubs are trump.
bluke::View second_trick() {
  bluke::View view;
  view.seat = 1;
  view.rules.seats = 3;
  view.totals = {0, 0, 0};
  view.size = 4;
  view.trump = Suit::clubs;
  view.turned = "9C"_card;
  view.cards = {"7C"_card, "JS"_card, "LO"_card};
  view.bids = {1, 2, std::nullopt};
  view.tricks = {{2, {"8D"_card, "4D"_card, "2S"_card}, 2}, {2, {"QS"_card, "TS"_card}, std::nullopt}};
  view.tricks_won = {0, 0, 1};
  return view;
}

}  // namespace

TEST_CASE("the view says what is bid, taken and needed") {
  const auto view = second_trick();
  CHECK(view.my_bid() == 2);
  CHECK(view.my_tricks() == 0);
  CHECK(view.needed() == 2);
  CHECK(view.needed_by(0) == 1);
  CHECK(view.needed_by(2) == 0);
  CHECK_THROWS_AS(view.needed_by(3), std::out_of_range);
}

TEST_CASE("the trick on the table is the last one, while it is being played") {
  auto view = second_trick();
  REQUIRE(view.trick());
  CHECK(view.led() == "QS"_card);
  CHECK(view.winning() == std::pair(2, "QS"_card));
  CHECK(view.seats_after().empty());

  view.tricks.back().cards.push_back("3C"_card);
  CHECK(view.winning() == std::pair(1, "3C"_card));

  view.tricks.back().winner = 1;
  CHECK_FALSE(view.trick());
  CHECK_FALSE(view.led());
  CHECK_FALSE(view.winning());
  CHECK(view.seats_after() == std::vector{2, 0});

  view.tricks.clear();
  CHECK_FALSE(view.trick());
}

TEST_CASE("a card is seen that is held, turned up or played") {
  CHECK(second_trick().seen() ==
        std::vector{"7C"_card, "9C"_card, "4D"_card, "8D"_card, "2S"_card, "TS"_card, "JS"_card, "QS"_card, "LO"_card});
}

TEST_CASE("rules without seats are an error and no crash") {
  auto view = second_trick();
  view.rules.seats = 0;
  CHECK_THROWS_AS(view.winning(), std::logic_error);
  CHECK(view.seats_after().empty());
}

TEST_CASE("as many seats as a number can hold make no long list") {
  auto view = second_trick();
  view.rules.seats = 2'000'000'000;
  CHECK(view.seats_after().size() == 51);
}

TEST_CASE("the deadline counts from when the question was read") {
  auto view = second_trick();
  CHECK_FALSE(view.deadline());
  view.received = bluke::Clock::time_point(std::chrono::seconds(5));
  view.time_left = std::chrono::milliseconds(1500);
  CHECK(view.deadline() == bluke::Clock::time_point(std::chrono::milliseconds(6500)));
}
