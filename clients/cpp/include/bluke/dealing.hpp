// The dealing that anyone can check: every card of a game worked out from its seed (sections 3, 4 and 8 of the rules).
//
// Seeds, commitments and digests are strings of 32 bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bluke/cards.hpp"
#include "bluke/views.hpp"

namespace bluke::dealing {

std::string sha256(std::string_view data);
std::string hmac_sha256(std::string_view key, std::string_view message);

std::string to_hex(std::string_view bytes);
/// Throws std::invalid_argument for what is no hex.
std::string from_hex(std::string_view text);

/// What is published before the first card of a game (8.1).
std::string commitment(std::string_view game_seed, std::string_view game_id);
/// The seed of the games that play one deal of a match (8.2).
std::string game_seed(std::string_view match_seed, std::uint64_t deal);
/// All 54 cards as a label shuffles them, the top of the pack first (8.3).
std::vector<Card> pack(std::string_view game_seed, std::string_view label);
/// The pack of the draw (8.4).
std::vector<Card> draw_pack(std::string_view game_seed);
/// The pack of a hand (8.4).
std::vector<Card> hand_pack(std::string_view game_seed, int hand);

/// The draw for the first dealer and the scorekeeper (3).
struct Draw {
  Rounds rounds;
  int dealer = 0;
  int scorekeeper = 0;
};
/// Throws std::invalid_argument if the pack is too small for so many seats.
Draw draw(std::span<const Card> pack, int seats);

/// One hand as it was dealt (4).
struct Deal {
  std::vector<std::vector<Card>> cards;  ///< by seat, in the order dealt
  std::vector<Card> rest;                ///< after the cut, its top card turned up
  std::optional<Card> turned;            ///< none if the whole pack was dealt
  std::optional<Suit> trump;
};
/// Throws std::invalid_argument if the pack cannot be dealt or cut so.
Deal deal(std::span<const Card> pack, int seats, int size, int dealer, int cut = 0);

/// One hand as somebody was told of it.
struct ToldHand {
  int hand = 0, size = 0, dealer = 0;
  std::vector<std::vector<Card>> cards;  ///< by seat, in any order; empty for a seat whose cards are not known
  std::optional<int> cut;                ///< where it is known
  std::optional<Card> turned;
  std::optional<Suit> trump;
};

/// A game as somebody was told of it: a seat from `GameStarted` and its views, anybody from a replay.
struct Told {
  std::string game_id;
  Rules rules;
  std::string commitment;
  Rounds draw;
  int dealer = 0;
  int scorekeeper = 0;
  std::vector<ToldHand> hands;
};

/// Holds what was told of a game against its seed. Returns every disagreement as a sentence; none if all is right.
std::vector<std::string> check(const Told& told, std::string_view game_seed);

}  // namespace bluke::dealing
