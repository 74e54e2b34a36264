#include "bluke/views.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace bluke {

std::optional<Clock::time_point> View::deadline() const {
  return time_left ? std::optional(received + *time_left) : std::nullopt;
}

std::optional<int> View::my_bid() const { return bids.at(static_cast<std::size_t>(seat)); }

int View::my_tricks() const { return tricks_won.at(static_cast<std::size_t>(seat)); }

int View::needed_by(int of) const {
  const auto at = static_cast<std::size_t>(of);
  return std::max(0, bids.at(at).value_or(0) - tricks_won.at(at));
}

const Trick* View::trick() const {
  if (tricks.empty() || tricks.back().cards.empty() || tricks.back().winner) return nullptr;
  return &tricks.back();
}

std::optional<Card> View::led() const {
  const Trick* now = trick();
  return now ? std::optional(now->cards.front()) : std::nullopt;
}

std::optional<std::pair<int, Card>> View::winning() const {
  const Trick* now = trick();
  if (!now) return std::nullopt;
  if (rules.seats < 1) throw std::logic_error("the rules in this view name no seats");
  std::size_t best = 0;
  for (std::size_t i = 1; i < now->cards.size(); ++i) {
    if (now->cards[i].beats(now->cards[best], trump)) best = i;
  }
  const auto winner = (now->leader + static_cast<std::int64_t>(best)) % rules.seats;
  return std::pair(static_cast<int>(winner), now->cards[best]);
}

std::vector<int> View::seats_after() const {
  const Trick* now = trick();
  // No more than there are cards, however many a referee may say there are.
  const int count = std::min(rules.seats, 54) - 1 - (now ? static_cast<int>(now->cards.size()) : 0);
  std::vector<int> after;
  for (int i = 0; i < count; ++i) {
    after.push_back(static_cast<int>((static_cast<std::int64_t>(seat) + 1 + i) % rules.seats));
  }
  return after;
}

std::vector<Card> View::seen() const {
  std::set<Card> known(cards.begin(), cards.end());
  for (const Trick& one : tricks) known.insert(one.cards.begin(), one.cards.end());
  if (turned) known.insert(*turned);
  return {known.begin(), known.end()};
}

}  // namespace bluke
