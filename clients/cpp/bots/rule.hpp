// Plays by two numbers for each card: the chance that it takes this trick, and that it takes a later one.
//
// Whole numbers only, in thousandths and rounded down, as the reference bot `rule` does, whose answers it gives; a pure
// function of the view. The chances come from counting: a card that this seat has not seen is as likely to be in one
// place as in any other.
#pragma once

#include <bluke/bot.hpp>
#include <cstdint>

namespace rule {

/// The chance that `drawn` cards out of `hidden` hold none of the `marked` ones, in thousandths.
int miss(int marked, int drawn, int hidden);

/// What one seat makes of the cards that it cannot see.
class Sight {
 public:
  explicit Sight(const bluke::View& view);

  /// The chance that none of `seats` seats with `held` cards each will beat `card`, which is winning a trick in which
  /// suit number `led` was led (4 for a Bluke).
  int stands(bluke::Card card, int led, int seats, int held) const;
  /// The chance that `card` takes a trick when every other seat holds `held` cards.
  int worth(bluke::Card card, int held) const;

 private:
  int of_suit(int suit) const;
  int above(bluke::Card card) const;

  std::uint64_t hidden_;  ///< the cards that are neither held nor turned up nor played, as bits by index
  int count_;             ///< how many they are
  int trump_;             ///< number of the trump suit, -1 for none
  int others_;            ///< number of the other seats
};

/// Bids what its cards are worth, and spends the card that gives most for what it would be worth later.
class Rule : public bluke::Bot {
 public:
  int bid(const bluke::BidView& view) override;
  bluke::Card play(const bluke::PlayView& view) override;
};

}  // namespace rule
