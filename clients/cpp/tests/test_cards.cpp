#include <doctest/doctest.h>

#include <bluke/cards.hpp>
#include <set>
#include <sstream>

using bluke::Card;
using bluke::Suit;
using namespace bluke::literals;

TEST_CASE("every card has the index of the rules, and its notation names it again") {
  const std::string ranks = "23456789TJQKA";
  const std::string suits = "CDHS";
  std::set<std::string> seen;
  for (int index = 0; index < 52; ++index) {
    const std::string text{ranks[static_cast<std::size_t>(index % 13)], suits[static_cast<std::size_t>(index / 13)]};
    CHECK(to_string(Card(index)) == text);
    CHECK(Card::parse(text) == Card(index));
    CHECK(Card(index).rank() == index % 13);
    CHECK(Card(index).suit() == static_cast<Suit>(index / 13));
    seen.insert(text);
  }
  CHECK(seen.size() == 52);
  CHECK(Card::parse("LO") == Card(52));
  CHECK(Card::parse("HI") == Card(53));
  CHECK(to_string(bluke::hi) == "HI");
  CHECK(bluke::lo.rank() == 13);
  CHECK_FALSE(bluke::hi.suit().has_value());
}

TEST_CASE("what is no card is refused") {
  for (const char* text : {"", "9", "H9", "10H", "9h", " 9H", "lo", "HI ", "LOL"}) {
    CHECK_THROWS_AS(Card::parse(text), std::invalid_argument);
  }
  for (const std::int64_t index : {-1L, 54L, 256L, 4294967296L}) CHECK_THROWS_AS(Card{index}, std::out_of_range);
}

TEST_CASE("a literal is a card while compiling") {
  static_assert("9H"_card.index() == 33);
  static_assert("TD"_card.suit() == Suit::diamonds);
  static_assert("HI"_card.is_bluke());
}

TEST_CASE("cards and suits print as their notation") {
  std::ostringstream out;
  out << "QS"_card << ' ' << Suit::diamonds;
  CHECK(out.str() == "QS D");
}

TEST_CASE("Blukes beat trumps, trumps beat the suit led, and nothing else beats") {
  const auto hearts = Suit::hearts;
  CHECK("HI"_card.beats("LO"_card, hearts));
  CHECK_FALSE("LO"_card.beats("HI"_card, hearts));
  CHECK("LO"_card.beats("AH"_card, hearts));
  CHECK_FALSE("AH"_card.beats("LO"_card, hearts));
  CHECK("2H"_card.beats("AS"_card, hearts));
  CHECK("3H"_card.beats("2H"_card, hearts));
  CHECK_FALSE("2H"_card.beats("3H"_card, hearts));
  CHECK("KS"_card.beats("QS"_card, hearts));
  CHECK_FALSE("AC"_card.beats("2S"_card, hearts));
  CHECK_FALSE("AC"_card.beats("2S"_card, std::nullopt));
}
