// Protocol messages to values. Enum values of a newer referee become `other`, an unknown trump none.
#pragma once

#include <optional>

#include "bluke/v1/play.pb.h"
#include "bluke/views.hpp"

namespace bluke::wire {

// Each throws std::out_of_range for a card or a number that this SDK cannot hold.

CutView read_cut(const v1::Turn& turn, Clock::time_point received);
BidView read_bid(const v1::Turn& turn, Clock::time_point received);
PlayView read_play(const v1::Turn& turn, Clock::time_point received);

Rules read_rules(const v1::Rules& rules);
GameStarted read_game_started(const v1::GameStarted& message);
HandScored read_hand_scored(const v1::HandScored& message);
GameOver read_game_over(const v1::GameOver& message);
/// None for an event that is told in another way, or that is not known here.
std::optional<Event> read_event(const v1::Event& message);

}  // namespace bluke::wire
