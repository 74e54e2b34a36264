#include <algorithm>
#include <bluke/bot.hpp>

class Cautious : public bluke::Bot {
  int bid(const bluke::BidView&) override { return 1; }

  bluke::Card play(const bluke::PlayView& view) override {
    note("my highest card");
    return *std::ranges::max_element(view.legal, {}, &bluke::Card::rank);
  }
};

int main() { return bluke::run<Cautious>(); }
