#include "rule.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

namespace rule {
namespace {

using bluke::Card;

constexpr int sure = 1000;
// The least that a trump is worth, the two and each rank above it: it may ruff, or be left over in the end.
constexpr int trump_worth = 300, trump_step = 40;
// Added to the worth of a hand before it is rounded down to a bid, for tricks that low cards take.
constexpr int luck = 400;

constexpr std::uint64_t blukes = std::uint64_t{3} << 52;
constexpr std::uint64_t pack = (std::uint64_t{1} << 54) - 1;

std::uint64_t bit(Card card) { return std::uint64_t{1} << card.index(); }

std::uint64_t bits(const std::vector<Card>& cards) {
  return std::accumulate(cards.begin(), cards.end(), std::uint64_t{0},
                         [](std::uint64_t set, Card card) { return set | bit(card); });
}

/// Number of the suit, 4 for a Bluke.
int suit_of(Card card) { return card.index() / 13; }

}  // namespace

int miss(int marked, int drawn, int hidden) {
  std::int64_t chance = 1'000'000;
  for (int i = 0; i < marked; ++i) {
    const int left = hidden - drawn - i;
    if (left <= 0) return 0;
    chance = chance * left / (hidden - i);
  }
  return static_cast<int>(chance / 1000);
}

Sight::Sight(const bluke::View& view) : trump_(view.trump ? static_cast<int>(*view.trump) : -1) {
  std::uint64_t seen = bits(view.cards);
  if (view.turned) seen |= bit(*view.turned);
  for (const bluke::Trick& trick : view.tricks) seen |= bits(trick.cards);
  hidden_ = ~seen & pack;
  count_ = std::popcount(hidden_);
  others_ = view.rules.seats - 1;
}

int Sight::of_suit(int suit) const { return std::popcount(hidden_ >> 13 * suit & 0x1FFF); }

/// How many hidden cards beat `card` in a trick of its own suit, but for ruffs.
int Sight::above(Card card) const {
  if (card.is_bluke()) return std::popcount(hidden_ >> (card.index() + 1));
  const int end = card.index() - card.rank() + 13;
  const std::uint64_t higher = (std::uint64_t{1} << end) - (std::uint64_t{2} << card.index());
  return std::popcount(hidden_ & (higher | blukes));
}

int Sight::stands(Card card, int led, int seats, int held) const {
  const int suit = suit_of(card);
  const int better = above(card);
  if (card.is_bluke() || (suit == trump_ && suit == led)) return miss(better, seats * held, count_);
  // A seat that has none of the suit led may ruff; of a trump, only such a seat may play a better one.
  const int empty = miss(of_suit(led), held, count_);
  int one = miss(better, held, count_);
  if (suit == trump_) {
    one = sure - empty * (sure - one) / sure;
  } else if (trump_ >= 0) {
    const int trumps = miss(of_suit(trump_), held, count_ - of_suit(led));
    one = std::max(0, one - empty * (sure - trumps) / sure);
  }
  int chance = sure;
  for (int i = 0; i < seats; ++i) chance = chance * one / sure;
  return chance;
}

int Sight::worth(Card card, int held) const {
  const int suit = suit_of(card);
  const int chance = stands(card, suit, others_, held);
  return suit == trump_ ? std::max(chance, trump_worth + trump_step * card.rank()) : chance;
}

int Rule::bid(const bluke::BidView& view) {
  const Sight sight(view);
  int worth = 0;
  for (const Card card : view.cards) worth += sight.worth(card, view.size);
  return std::min(std::max((worth + luck) / sure, 1), view.size);
}

/// The card whose chance now exceeds its worth later by most; the weaker one of equals.
///
/// So the last seat to play takes a trick with its cheapest winner, and where nothing can win the least useful card
/// goes. A seat that leads and needs no trick lets go of its least useful card too: what is strong is kept to stop
/// others.
Card Rule::play(const bluke::PlayView& view) {
  if (view.legal.size() == 1) return view.legal.front();
  const Sight sight(view);
  const int held = static_cast<int>(view.cards.size());
  const int after = static_cast<int>(view.seats_after().size());
  const auto led = view.led();
  const auto winning = view.winning();
  const bool idle = !led && !(0 < view.needed() && view.needed() <= held);
  std::vector<Card> rising = view.legal;
  std::ranges::sort(rising, {}, [](Card card) { return std::pair(card.rank(), card.index()); });
  Card best = view.legal.front();
  int best_gain = -sure - 1;
  for (const Card card : rising) {
    const bool loses = winning && !card.beats(winning->second, view.trump);
    const int now = idle || loses ? 0 : sight.stands(card, suit_of(led.value_or(card)), after, held);
    const int gain = now - sight.worth(card, held - 1);
    if (gain > best_gain) {
      best = card;
      best_gain = gain;
    }
  }
  return best;
}

}  // namespace rule
