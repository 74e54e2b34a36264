#include <doctest/doctest.h>

#include <future>
#include <latch>

#include "outbox.hpp"

using bluke::Outbox;
namespace v1 = bluke::v1;

namespace {

v1::Move move(const std::string& game, std::uint64_t decision, const std::string& note = {}) {
  v1::Move move;
  move.set_game_id(game);
  move.set_decision_id(decision);
  move.set_card(7);
  if (!note.empty()) move.set_note(note);
  return move;
}

v1::PlayRequest goodbye() {
  v1::PlayRequest request;
  request.mutable_goodbye();
  return request;
}

/// Everything that is written until a goodbye was.
struct Written {
  std::vector<v1::PlayRequest> requests;
  std::latch done{1};

  auto write() {
    return [this](const v1::PlayRequest& request) {
      requests.push_back(request);
      if (request.has_goodbye()) done.count_down();
      return true;
    };
  }
};

}  // namespace

TEST_CASE("moves leave together when they are flushed, at most 64 in one message") {
  Written written;
  Outbox box({}, written.write());
  for (std::uint64_t i = 1; i <= 100; ++i) box.move(move("g", i));
  box.say(goodbye());
  written.done.wait();
  REQUIRE(written.requests.size() == 3);
  CHECK(written.requests[0].moves().moves_size() == 64);
  CHECK(written.requests[1].moves().moves_size() == 36);
  CHECK(written.requests[1].moves().moves(35).decision_id() == 100);
}

TEST_CASE("messages stay below the limit of the welcome, and so do notes") {
  Written written;
  v1::StreamLimits limits;
  limits.set_max_message_bytes(1000);
  limits.set_max_note_bytes(101);
  Outbox box(limits, written.write());
  std::string note;
  for (int i = 0; i < 60; ++i) note += "ä";
  for (std::uint64_t i = 1; i <= 20; ++i) box.move(move("0123456789abcdef", i, note));
  box.say(goodbye());
  written.done.wait();
  std::uint64_t decision = 0;
  for (const v1::PlayRequest& request : written.requests) {
    CHECK(request.ByteSizeLong() <= 1000);
    for (const v1::Move& one : request.moves().moves()) {
      CHECK(one.decision_id() == ++decision);
      CHECK(one.note().size() == 100);
    }
  }
  CHECK(decision == 20);
  CHECK(written.requests.size() < 10);
}

TEST_CASE("a move larger than all that is allowed still leaves, alone") {
  Written written;
  v1::StreamLimits limits;
  limits.set_max_message_bytes(10);
  Outbox box(limits, written.write());
  box.move(move("a long name of a game", 1));
  box.move(move("a long name of a game", 2));
  box.say(goodbye());
  written.done.wait();
  CHECK(written.requests.size() == 3);
}

TEST_CASE("a move that is flushed soon leaves though nothing comes after it") {
  std::promise<v1::PlayRequest> written;
  Outbox box({}, [&](const v1::PlayRequest& request) {
    written.set_value(request);
    return true;
  });
  box.move(move("g", 5));
  box.flush_soon();
  CHECK(written.get_future().get().moves().moves(0).decision_id() == 5);
}

TEST_CASE("a flush of nothing writes nothing, and a closed outbox takes nothing") {
  Written written;
  Outbox box({}, written.write());
  box.flush();
  box.flush_soon();
  box.close();
  box.move(move("g", 1));
  box.say(goodbye());
  box.flush();
  box.close();
  CHECK(written.requests.empty());
}

TEST_CASE("after a write that failed nothing more is written") {
  std::latch tried(1);
  int writes = 0;
  Outbox box({}, [&](const v1::PlayRequest&) {
    ++writes;
    tried.count_down();
    return false;
  });
  box.move(move("g", 1));
  box.flush();
  tried.wait();
  box.move(move("g", 2));
  box.flush();
  box.close();
  CHECK(writes == 1);
}
