// The answers are those of the reference bot `rule`.
#include <doctest/doctest.h>

#include <sstream>

#include "rule.hpp"

using bluke::Card;
using bluke::Suit;
using namespace bluke::literals;

namespace {

std::vector<Card> cards(const std::string& text) {
  std::istringstream words(text);
  std::vector<Card> all;
  for (std::string word; words >> word;) all.push_back(Card::parse(word));
  return all;
}

struct Hand {
  std::string cards;
  std::optional<Suit> trump;
  std::optional<Card> turned;
  int seats;
  int bid;
  std::vector<int> worth;
};

/// Seat 0 of four, hearts trump, is to play to a hand of four.
bluke::PlayView view(const std::string& held, const std::string& legal, std::vector<bluke::Trick> tricks) {
  bluke::PlayView view;
  view.rules.seats = 4;
  view.size = 4;
  view.trump = Suit::hearts;
  view.turned = "9H"_card;
  view.cards = cards(held);
  view.legal = cards(legal);
  view.bids = {2, 1, 1, 1};
  view.tricks = std::move(tricks);
  view.tricks_won = {0, 0, 0, 0};
  return view;
}

}  // namespace

TEST_CASE("the chance to miss is counted card by card, in thousandths rounded down") {
  CHECK(rule::miss(0, 5, 48) == 1000);
  CHECK(rule::miss(1, 5, 48) == 895);
  CHECK(rule::miss(4, 5, 48) == 634);
  CHECK(rule::miss(13, 13, 39) == 1);
  CHECK(rule::miss(2, 39, 40) == 0);
  CHECK(rule::miss(3, 50, 48) == 0);
  CHECK(rule::miss(5, 1, 7) == 285);
}

TEST_CASE("a hand is worth the sum of its cards, and the bid is that and some luck") {
  const Hand hands[] = {
      {"2C 3D 4H 5S 6C", Suit::hearts, "9H"_card, 4, 1, {0, 0, 380, 0, 0}},
      {"HI LO AH KH QH", Suit::hearts, "9H"_card, 4, 5, {1000, 1000, 1000, 1000, 1000}},
      {"AC AD AS HI 2H", std::nullopt, "LO"_card, 4, 4, {1000, 1000, 1000, 1000, 10}},
      {"2C 4C 9D KD TH AH JS QS LO", std::nullopt, std::nullopt, 6, 1, {0, 0, 2, 103, 9, 327, 31, 31, 0}},
      {"7C QC 8D AD 3H 9H KH 2S 5S TS AS LO HI",
       Suit::spades,
       "9S"_card,
       4,
       6,
       {0, 88, 1, 988, 0, 6, 296, 300, 420, 620, 1000, 1000, 1000}},
  };
  for (const Hand& hand : hands) {
    bluke::BidView view;
    view.rules.seats = hand.seats;
    view.trump = hand.trump;
    view.turned = hand.turned;
    view.cards = cards(hand.cards);
    view.size = static_cast<int>(view.cards.size());
    const rule::Sight sight(view);
    std::vector<int> worth;
    for (const Card card : view.cards) worth.push_back(sight.worth(card, view.size));
    CHECK(worth == hand.worth);
    CHECK(rule::Rule().bid(view) == hand.bid);
  }
}

TEST_CASE("the last seat takes a trick with its cheapest winner") {
  CHECK(rule::Rule().play(view("2C QC AC 3H", "2C QC AC", {{1, cards("5C TC JC"), std::nullopt}})) == "QC"_card);
}

TEST_CASE("where nothing can win the least useful card goes") {
  CHECK(rule::Rule().play(view("2C 5C 3D KS", "2C 5C", {{1, cards("6C TC 2H"), std::nullopt}})) == "2C"_card);
  CHECK(rule::Rule().play(view("4D KD 3H LO", "4D KD 3H LO", {{3, cards("HI"), std::nullopt}})) == "4D"_card);
}

TEST_CASE("who leads and needs a trick leads what gains most, and who needs none keeps what is strong") {
  auto leading = view("2C AC 3H HI", "2C AC 3H HI", {});
  CHECK(rule::Rule().play(leading) == "AC"_card);
  leading.size = 5;
  leading.bids = {1, 1, 1, 1};
  leading.tricks_won = {1, 0, 0, 0};
  leading.tricks = {{0, cards("KS 2S 3S 4S"), 0}};
  CHECK(rule::Rule().play(leading) == "2C"_card);
}
