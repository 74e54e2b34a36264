// A bot that never comes to a decision.
#include <unistd.h>

#include <bluke/bot.hpp>

class Thinker : public bluke::Bot {
  int bid(const bluke::BidView&) override {
    for (;;) pause();
  }
  bluke::Card play(const bluke::PlayView& view) override { return view.legal.front(); }
  void game_started(const bluke::GameStarted&) override {}
};

int main() { return bluke::run<Thinker>({.threads = 2}); }
