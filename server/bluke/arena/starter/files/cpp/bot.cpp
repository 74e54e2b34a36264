// A first bot: it bids its strong cards, and takes tricks while it needs them.
#include <algorithm>
#include <bluke/bot.hpp>
#include <iterator>
#include <string>
#include <vector>

// One is made for each seat in each game: what it keeps in its members is the memory of one seat.
class Starter : public bluke::Bot {
  // Counts Blukes, aces, and trumps from the ten up. The bids before yours, `view.bids`, could say more.
  int bid(const bluke::BidView& view) override {
    const auto strong = std::ranges::count_if(
        view.cards, [&](bluke::Card card) { return card.rank() >= (card.suit() == view.trump ? 8 : 12); });
    note("strong: " + std::to_string(strong));  // notes are shown in the replay
    return std::max(1, static_cast<int>(strong));
  }

  // Wins if a trick is needed, else throws the weakest card. It forgets what was played: `view.tricks` has it.
  bluke::Card play(const bluke::PlayView& view) override {
    const auto strength = [&](bluke::Card card) {
      return card.rank() + (card.is_bluke() || card.suit() == view.trump ? 13 : 0);
    };
    auto cards = view.legal;
    std::ranges::stable_sort(cards, {}, strength);
    std::vector<bluke::Card> winners;
    std::ranges::copy_if(cards, std::back_inserter(winners), [&](bluke::Card card) {
      return !view.winning() || card.beats(view.winning()->second, view.trump);
    });
    if (view.needed() == 0 || winners.empty()) return cards.front();
    return view.seats_after().empty() ? winners.front() : winners.back();
  }
};

int main() { return bluke::run<Starter>({.name = "@name@"}); }
