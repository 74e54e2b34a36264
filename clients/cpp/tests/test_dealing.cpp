#include <doctest/doctest.h>

#include <bluke/dealing.hpp>
#include <fstream>
#include <sstream>

#include "json.hpp"

namespace dealing = bluke::dealing;
using bluke::Card;
using namespace bluke::literals;

namespace {

const json::Value& vectors() {
  static const json::Value value = [] {
    std::ifstream file(VECTORS "/dealing.json");
    std::ostringstream text;
    text << file.rdbuf();
    return json::parse(text.str());
  }();
  return value;
}

std::vector<Card> cards(const json::Value& value) { return json::list(value, json::card); }

/// Whole numbers beyond those that are seats or sizes.
std::uint64_t deal_number(const json::Value& value) { return static_cast<std::uint64_t>(value.number_value()); }

std::string seed_of(const json::Value& one) {
  return dealing::game_seed(json::text(json::at(one, "match_seed_text")), deal_number(json::at(one, "deal")));
}

bluke::Rounds rounds(const json::Value& value) {
  const auto drawn = [](const json::Value& pair) {
    return bluke::DrawnCard{json::number(pair.list_value().values(0)), json::card(pair.list_value().values(1))};
  };
  return json::list(value, [&](const json::Value& round) { return json::list(round, drawn); });
}

void check_deal(const dealing::Deal& dealt, const json::Value& expected) {
  CHECK(dealt.cards == json::list(json::at(expected, "cards"), cards));
  CHECK(dealt.turned == json::unless_null(json::at(expected, "turned"), json::card));
  CHECK(dealt.trump == json::unless_null(json::at(expected, "trump"), json::suit));
}

/// The game of the vectors as a finished one is told of.
dealing::Told told(const json::Value& game) {
  dealing::Told told;
  told.game_id = json::text(json::at(game, "game"));
  told.rules.seats = json::number(json::at(game, "seats"));
  told.rules.hands = json::list(json::at(game, "schedule"), json::number);
  told.commitment = dealing::from_hex(json::text(json::at(game, "commitment")));
  told.draw = rounds(json::at(game, "rounds"));
  told.dealer = json::number(json::at(game, "dealer"));
  told.scorekeeper = json::number(json::at(game, "scorekeeper"));
  for (const json::Value& hand : json::at(game, "hands").list_value().values()) {
    told.hands.push_back({.hand = json::number(json::at(hand, "hand")),
                          .size = json::number(json::at(hand, "size")),
                          .dealer = json::number(json::at(hand, "dealer")),
                          .cards = json::list(json::at(hand, "cards"), cards),
                          .cut = 0,
                          .turned = json::unless_null(json::at(hand, "turned"), json::card),
                          .trump = json::unless_null(json::at(hand, "trump"), json::suit)});
  }
  return told;
}

}  // namespace

TEST_CASE("the hashes give the published answers") {
  CHECK(dealing::to_hex(dealing::sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(dealing::to_hex(dealing::sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // Cases 1 and 2 of RFC 4231.
  CHECK(dealing::to_hex(dealing::hmac_sha256(std::string(20, '\x0b'), "Hi There")) ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(dealing::to_hex(dealing::hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST_CASE("hex is undone, and what is no hex is refused") {
  CHECK(dealing::from_hex("00fFa5") == std::string("\x00\xff\xa5", 3));
  for (const char* text : {"0", "0g", "0x", " 00"}) CHECK_THROWS_AS(dealing::from_hex(text), std::invalid_argument);
}

TEST_CASE("seeds, commitments, packs, draws and deals are those of the vectors") {
  const auto& games = json::at(vectors(), "games").list_value().values();
  REQUIRE(games.size() == 6);
  for (const json::Value& game : games) {
    const std::string seed = seed_of(game);
    CHECK(dealing::to_hex(seed) == json::text(json::at(game, "game_seed")));
    CHECK(dealing::to_hex(dealing::commitment(seed, json::text(json::at(game, "game")))) ==
          json::text(json::at(game, "commitment")));
    CHECK(dealing::draw_pack(seed) == cards(json::at(game, "draw_pack")));
    const int seats = json::number(json::at(game, "seats"));
    const auto draw = dealing::draw(dealing::draw_pack(seed), seats);
    CHECK(draw.rounds == rounds(json::at(game, "rounds")));
    CHECK(draw.dealer == json::number(json::at(game, "dealer")));
    CHECK(draw.scorekeeper == json::number(json::at(game, "scorekeeper")));
    for (const json::Value& hand : json::at(game, "hands").list_value().values()) {
      const auto pack = dealing::hand_pack(seed, json::number(json::at(hand, "hand")));
      const int size = json::number(json::at(hand, "size"));
      check_deal(dealing::deal(pack, seats, size, json::number(json::at(hand, "dealer"))), hand);
    }
  }
}

TEST_CASE("whole packs and cuts are those of the vectors") {
  const auto& deals = json::at(vectors(), "special_deals").list_value().values();
  REQUIRE(deals.size() == 6);
  for (const json::Value& one : deals) {
    const auto pack = dealing::hand_pack(seed_of(one), json::number(json::at(one, "hand")));
    const int seats = json::number(json::at(one, "seats"));
    const int size = json::number(json::at(one, "size"));
    const int dealer = json::number(json::at(one, "dealer"));
    check_deal(dealing::deal(pack, seats, size, dealer, json::number(json::at(one, "cut"))), one);
    CHECK(dealing::deal(pack, seats, size, dealer).rest == cards(json::at(one, "remaining")));
  }
}

TEST_CASE("draws with ties are those of the vectors") {
  const auto& draws = json::at(vectors(), "draws_with_ties").list_value().values();
  REQUIRE(draws.size() == 4);
  for (const json::Value& one : draws) {
    const auto draw = dealing::draw(dealing::draw_pack(seed_of(one)), json::number(json::at(one, "seats")));
    CHECK(draw.rounds == rounds(json::at(one, "rounds")));
    CHECK(draw.dealer == json::number(json::at(one, "dealer")));
    CHECK(draw.scorekeeper == json::number(json::at(one, "scorekeeper")));
  }
}

TEST_CASE("where too few cards are left for a redraw the lowest seat is taken") {
  const std::vector pack{"2C"_card, "2D"_card, "2H"_card, "2S"_card};
  const auto draw = dealing::draw(pack, 3);
  CHECK(draw.rounds.size() == 1);
  CHECK(draw.dealer == 0);
  CHECK(draw.scorekeeper == 0);
}

TEST_CASE("what cannot be dealt or cut is refused") {
  const auto pack = dealing::draw_pack("seed");
  CHECK_THROWS_AS(dealing::deal(pack, 4, 14, 0), std::invalid_argument);
  CHECK_THROWS_AS(dealing::deal(pack, 0, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(dealing::deal(pack, 4, 1, 4), std::invalid_argument);
  CHECK_THROWS_AS(dealing::deal(pack, 4, 13, 0, 2), std::invalid_argument);
  CHECK_THROWS_AS(dealing::deal(pack, 3, 18, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(dealing::draw(pack, 55), std::invalid_argument);
}

TEST_CASE("a game that was dealt right is found right, and each lie is found") {
  const json::Value& game = json::at(vectors(), "games").list_value().values(3);
  const std::string seed = dealing::from_hex(json::text(json::at(game, "game_seed")));
  const dealing::Told right = told(game);
  CHECK(dealing::check(right, seed).empty());
  CHECK_FALSE(dealing::check(right, dealing::sha256("another")).empty());

  const std::pair<const char*, std::function<void(dealing::Told&)>> lies[] = {
      {"committed", [](auto& lie) { lie.game_id += "x"; }},
      {"committed", [](auto& lie) { lie.commitment[0] ^= 1; }},
      {"draw", [](auto& lie) { lie.draw[0][0].card = "2C"_card; }},
      {"first dealer", [](auto& lie) { lie.dealer = 0; }},
      {"scorekeeper", [](auto& lie) { lie.scorekeeper = 1; }},
      {"schedule", [](auto& lie) { lie.hands[0].hand = 19; }},
      {"size", [](auto& lie) { ++lie.hands[1].size; }},
      {"dealer", [](auto& lie) { lie.hands[1].dealer = (lie.hands[1].dealer + 1) % 5; }},
      {"seats with cards", [](auto& lie) { lie.hands[1].cards.pop_back(); }},
      {"seat 0", [](auto& lie) { std::swap(lie.hands[1].cards[0][0], lie.hands[1].cards[1][0]); }},
      {"turned up", [](auto& lie) { lie.hands[1].turned = lie.hands[1].cards[0][0]; }},
      {"trump", [](auto& lie) { lie.hands[1].trump = std::nullopt; }},
      {"cut", [](auto& lie) { lie.hands[1].cut = 3; }},
      {"seats", [](auto& lie) { lie.rules.seats = 0; }},
      {"cannot give", [](auto& lie) { lie.rules.hands[1] = lie.hands[1].size = 20; }},
  };
  for (const auto& [word, spoil] : lies) {
    dealing::Told lie = right;
    spoil(lie);
    const auto wrong = dealing::check(lie, seed);
    REQUIRE_FALSE(wrong.empty());
    CHECK_MESSAGE(wrong[0].find(word) != wrong[0].npos, wrong[0]);
  }
}

TEST_CASE("where players cut, the card turned up must be one that a cut can turn up") {
  const std::string seed = dealing::sha256("any");
  const auto draw = dealing::draw(dealing::draw_pack(seed), 4);
  dealing::Told told;
  told.game_id = "g";
  told.rules.seats = 4;
  told.rules.hands = {5};
  told.rules.cut = bluke::CutRule::player;
  told.commitment = dealing::commitment(seed, "g");
  told.draw = draw.rounds;
  told.dealer = draw.dealer;
  told.scorekeeper = draw.scorekeeper;
  const auto dealt = dealing::deal(dealing::hand_pack(seed, 0), 4, 5, draw.dealer, 20);
  // As seat 2 was told of it: its own cards, and no cut.
  told.hands = {{.hand = 0,
                 .size = 5,
                 .dealer = draw.dealer,
                 .cards = {{}, {}, dealt.cards[2], {}},
                 .cut = std::nullopt,
                 .turned = dealt.turned,
                 .trump = dealt.trump}};
  CHECK(dealing::check(told, seed).empty());
  told.hands[0].cut = 20;
  CHECK(dealing::check(told, seed).empty());
  told.hands[0].cut = 21;
  CHECK_FALSE(dealing::check(told, seed).empty());
  told.hands[0].cut = 34;
  CHECK_FALSE(dealing::check(told, seed).empty());
  told.hands[0].cut = std::nullopt;
  told.hands[0].turned = dealt.cards[0][0];
  CHECK_FALSE(dealing::check(told, seed).empty());
}
