#include <doctest/doctest.h>

#include <bluke/bot.hpp>
#include <future>
#include <latch>
#include <mutex>
#include <thread>

#include "referee.hpp"

using bluke::Card;
using namespace std::chrono_literals;
using namespace bluke::literals;

namespace {

/// A bot made of functions; what is left out does what is simplest.
struct Parts {
  std::function<int(const bluke::BidView&)> bid = [](const auto& view) { return view.legal.front(); };
  std::function<Card(const bluke::PlayView&)> play = [](const auto& view) { return view.legal.front(); };
  std::function<void(const std::string&)> told = [](const std::string&) {};
  std::function<void()> made = [] {};
};

class Made : public bluke::Bot {
 public:
  explicit Made(const Parts& parts) : parts_(parts) { parts.made(); }

  int bid(const bluke::BidView& view) override { return parts_.bid(view); }
  Card play(const bluke::PlayView& view) override {
    note("first line");
    note("a byte that is no text: \xFF");
    return parts_.play(view);
  }
  void game_started(const bluke::GameStarted& game) override { parts_.told("started " + game.game_id); }
  void hand_scored(const bluke::HandScored& hand) override { parts_.told("hand " + std::to_string(hand.hand)); }
  void game_over(const bluke::GameOver& game) override { parts_.told("over " + game.game_id); }
  void event(const bluke::Event& event) override { parts_.told("event " + std::to_string(event.index())); }

 private:
  const Parts& parts_;
};

bluke::Options options(const Referee& referee) {
  bluke::Options options;
  options.name = "made";
  options.server = referee.address;
  options.token = "a token";
  return options;
}

void play(const Referee& referee, const Parts& parts = {}) {
  bluke::play([&] { return std::make_unique<Made>(parts); }, options(referee));
}

template <class Error>
std::string error_of(const Referee& referee) {
  try {
    play(referee);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

const grpc::Status broken(grpc::StatusCode::UNAVAILABLE, "the stream broke");

v1::PlayResponse started(const std::string& game) {
  v1::PlayResponse response;
  response.mutable_game_started()->set_game_id(game);
  return response;
}

v1::PlayResponse over(const std::string& game) {
  v1::PlayResponse response;
  response.mutable_game_over()->set_game_id(game);
  return response;
}

}  // namespace

TEST_CASE("the hello tells who the bot is, and goodbye ends the playing") {
  v1::Hello hello;
  Referee referee({[&](Talk& talk) {
    hello = talk.welcome();
    talk.goodbye();
    return grpc::Status::OK;
  }});
  auto chosen = options(referee);
  chosen.version = "2";
  chosen.author = "somebody";
  chosen.max_games = 5;
  bluke::play([] { return std::unique_ptr<bluke::Bot>(); }, chosen);
  CHECK(hello.name() == "made");
  CHECK(hello.token() == "a token");
  CHECK(hello.version() == "2");
  CHECK(hello.author() == "somebody");
  CHECK(hello.sdk().starts_with("cpp/"));
  REQUIRE(hello.protocols_size() == 1);
  CHECK(hello.protocols(0) == 1);
  CHECK(hello.max_games() == 5);
  CHECK(hello.resume_key().empty());
  CHECK_FALSE(hello.wants_events());
}

TEST_CASE("cuts, bids and cards are answered with game, decision and note") {
  Referee referee({[](Talk& talk) {
    talk.welcome();
    talk.ask({turn("g", 0, 1, v1::ASKED_CUT, {0, 1, 2})});
    const v1::Move cut = talk.move();
    CHECK(cut.answer_case() == v1::Move::kCut);
    CHECK(cut.cut() == 0);
    talk.ask({bid("g", 0, 2)});
    const v1::Move bid = talk.move();
    CHECK(bid.bid() == 1);
    CHECK_FALSE(bid.has_note());
    talk.ask({turn("g", 0, 3, v1::ASKED_PLAY, {8, 53})});
    const v1::Move move = talk.move();
    CHECK(move.game_id() == "g");
    CHECK(move.decision_id() == 3);
    CHECK(move.card() == 8);
    CHECK(move.note() == "first line\na byte that is no text: \xEF\xBF\xBD");
    talk.goodbye();
    return grpc::Status::OK;
  }});
  play(referee);
}

TEST_CASE("a batch of turns is answered whole, by one bot for each seat in each game") {
  std::atomic<int> made = 0;
  std::mutex mutex;
  std::map<std::string, int> asked;
  Parts parts;
  parts.made = [&] { ++made; };
  parts.bid = [&](const bluke::BidView& view) {
    const std::lock_guard lock(mutex);
    return ++asked[view.game_id + "/" + std::to_string(view.seat)];
  };
  Referee referee({[](Talk& talk) {
    talk.welcome();
    for (std::uint64_t round = 1; round <= 3; ++round) {
      std::vector<v1::Turn> turns;
      for (int game = 0; game < 30; ++game) {
        turns.push_back(bid("game " + std::to_string(game), 0, 2 * round));
        turns.push_back(bid("game " + std::to_string(game), 2, 2 * round + 1));
      }
      talk.ask(turns);
      for (int i = 0; i < 60; ++i) CHECK(talk.move().bid() == round);
    }
    talk.goodbye();
    return grpc::Status::OK;
  }});
  play(referee, parts);
  CHECK(made == 60);
  CHECK(asked.size() == 60);
}

TEST_CASE("a slow decision does not hold up the answer to another") {
  std::latch heard(1);
  Parts parts;
  parts.bid = [&](const bluke::BidView& view) {
    if (view.game_id == "slow") heard.wait();
    return 1;
  };
  Referee referee({[&](Talk& talk) {
    talk.welcome();
    talk.ask({bid("fast", 0, 1), bid("slow", 0, 1)});
    CHECK(talk.move().game_id() == "fast");
    heard.count_down();
    CHECK(talk.move().game_id() == "slow");
    talk.goodbye();
    return grpc::Status::OK;
  }});
  play(referee, parts);
}

TEST_CASE("with more threads decisions of different games are made at the same time") {
  std::latch both(2);
  Parts parts;
  parts.bid = [&](const bluke::BidView&) {
    both.arrive_and_wait();
    return 1;
  };
  Referee referee({[](Talk& talk) {
    talk.welcome();
    talk.ask({bid("a", 0, 1), bid("b", 0, 1)});
    talk.move();
    talk.move();
    talk.goodbye();
    return grpc::Status::OK;
  }});
  auto chosen = options(referee);
  chosen.threads = 2;
  bluke::play([&] { return std::make_unique<Made>(parts); }, chosen);
}

TEST_CASE("an exception is reported for its decision, and the bot is asked on") {
  struct Strange {};
  Parts parts;
  parts.bid = [](const bluke::BidView& view) -> int {
    switch (view.decision_id) {
      case 1:
        throw std::runtime_error("no idea \xFF");
      case 2:
        throw Strange();
      case 3:
        return -1;
      default:
        return 2;
    }
  };
  Referee referee({[](Talk& talk) {
    talk.welcome();
    const std::string expected[] = {"bid: std::runtime_error: no idea \xEF\xBF\xBD", "no std::exception", "-1"};
    for (std::uint64_t decision = 1; decision <= 3; ++decision) {
      talk.ask({bid("g", 1, decision)});
      const v1::PlayRequest request = talk.hear();
      REQUIRE(request.has_error());
      CHECK(request.error().game_id() == "g");
      CHECK(request.error().decision_id() == decision);
      CHECK(has(request.error().detail(), expected[decision - 1]));
    }
    talk.ask({bid("g", 1, 4)});
    CHECK(talk.move().bid() == 2);
    talk.goodbye();
    return grpc::Status::OK;
  }});
  play(referee, parts);
}

TEST_CASE("a view with a card that this SDK does not know is reported, and the bot is asked on") {
  Referee referee({[](Talk& talk) {
    talk.welcome();
    talk.ask({turn("g", 0, 1, v1::ASKED_PLAY, {54})});
    const v1::PlayRequest request = talk.hear();
    REQUIRE(request.has_error());
    CHECK(request.error().decision_id() == 1);
    talk.ask({turn("g", 0, 2, v1::ASKED_PLAY, {53})});
    CHECK(talk.move().card() == 53);
    talk.goodbye();
    return grpc::Status::OK;
  }});
  play(referee);
}

TEST_CASE("notices and faults change nothing for the decisions to come") {
  Referee referee({[](Talk& talk) {
    talk.welcome();
    talk.ask({bid("g", 0, 1)});
    const v1::Move move = talk.move();
    for (const auto verdict : {v1::VERDICT_STALE, v1::VERDICT_ILLEGAL, v1::VERDICT_MALFORMED, v1::Verdict(77)}) {
      v1::PlayResponse response;
      response.mutable_notice()->set_game_id("g");
      response.mutable_notice()->set_decision_id(1);
      response.mutable_notice()->set_verdict(verdict);
      *response.mutable_notice()->mutable_move() = move;
      talk.say(response);
    }
    v1::PlayResponse fault;
    fault.mutable_fault()->set_game_id("g");
    fault.mutable_fault()->set_kind(v1::FaultKind(77));
    talk.say(fault);
    talk.ask({bid("g", 0, 5)});
    CHECK(talk.move().decision_id() == 5);
    talk.goodbye();
    return grpc::Status::OK;
  }});
  play(referee);
}

TEST_CASE("what a newer referee says besides is skipped") {
  Referee referee({[](Talk& talk) {
    talk.welcome();
    v1::PlayResponse unknown;
    unknown.GetReflection()->MutableUnknownFields(&unknown)->AddLengthDelimited(99, "news");
    talk.say(unknown);
    talk.ask({turn("g", 0, 1, v1::Asked(99), {1}), bid("h", 0, 1)});
    CHECK(talk.move().game_id() == "h");
    v1::Turn next = bid("g", 0, 2);
    next.GetReflection()->MutableUnknownFields(&next)->AddVarint(1000, 1);
    next.mutable_view()->set_trump(v1::Trump(99));
    next.mutable_view()->mutable_rules()->set_variant(v1::Variant(99));
    talk.ask({next});
    CHECK(talk.move().decision_id() == 2);
    talk.goodbye();
    return grpc::Status::OK;
  }});
  play(referee);
}

TEST_CASE("the bot hears what happens in its games, and public events only if it wants them") {
  for (const bool events : {false, true}) {
    std::vector<std::string> told;
    v1::Hello hello;
    Parts parts;
    parts.told = [&](const std::string& what) { told.push_back(what); };
    Referee referee({[&](Talk& talk) {
      hello = talk.welcome();
      talk.say(started("g"));
      v1::PlayResponse response;
      response.mutable_events()->add_events()->set_game_id("g");
      response.mutable_events()->mutable_events(0)->mutable_bid_made()->set_bid(3);
      response.mutable_events()->add_events()->set_game_id("g");
      talk.say(response);
      response.mutable_hand_scored()->set_game_id("g");
      response.mutable_hand_scored()->mutable_result()->set_hand(4);
      talk.say(response);
      talk.say(over("g"));
      talk.say(over("g"));
      talk.goodbye();
      return grpc::Status::OK;
    }});
    auto chosen = options(referee);
    chosen.events = events;
    bluke::play([&] { return std::make_unique<Made>(parts); }, chosen);
    CHECK(hello.wants_events() == events);
    const std::vector<std::string> few = {"started g", "hand 4", "over g"};
    const std::vector<std::string> all = {"started g", "event 1", "hand 4", "over g"};
    CHECK(told == (events ? all : few));
  }
}

TEST_CASE("after a broken stream an answer is said again, and the bot is not asked again") {
  int asked = 0;
  Parts parts;
  parts.bid = [&](const bluke::BidView&) { return ++asked; };
  v1::Hello second;
  Referee referee({[](Talk& talk) {
                     talk.welcome("the key");
                     talk.ask({bid("g", 0, 1)});
                     CHECK(talk.move().bid() == 1);
                     return broken;
                   },
                   [&](Talk& talk) {
                     second = talk.welcome("the key", true);
                     v1::Turn again = bid("g", 0, 1);
                     again.set_again(true);
                     talk.ask({again});
                     const v1::Move move = talk.move();
                     CHECK(move.decision_id() == 1);
                     CHECK(move.bid() == 1);
                     talk.ask({bid("g", 0, 2)});
                     CHECK(talk.move().bid() == 2);
                     talk.goodbye();
                     return grpc::Status::OK;
                   }});
  play(referee, parts);
  CHECK(second.resume_key() == "the key");
}

TEST_CASE("a decision that is being made when the stream breaks is answered on the next one, once") {
  std::latch asked(1), go(1);
  std::atomic<int> bids = 0;
  Parts parts;
  parts.bid = [&](const bluke::BidView&) {
    asked.count_down();
    go.wait();
    return ++bids;
  };
  Referee referee({[&](Talk& talk) {
                     talk.welcome();
                     talk.ask({bid("g", 0, 1)});
                     asked.wait();
                     return broken;
                   },
                   [&](Talk& talk) {
                     talk.welcome("key", true);
                     talk.ask({bid("g", 0, 1)});
                     go.count_down();
                     CHECK(talk.move().bid() == 1);
                     talk.ask({bid("g", 0, 2)});
                     CHECK(talk.move().bid() == 2);
                     talk.goodbye();
                     return grpc::Status::OK;
                   }});
  play(referee, parts);
  CHECK(bids == 2);
}

TEST_CASE("a status of OK without a goodbye is a broken stream as well") {
  Referee referee({[](Talk& talk) {
                     talk.welcome();
                     return grpc::Status::OK;
                   },
                   [](Talk& talk) {
                     CHECK(talk.welcome("key", true).resume_key() == "key");
                     talk.goodbye();
                     return grpc::Status::OK;
                   }});
  play(referee);
  CHECK(referee.streams() == 2);
}

TEST_CASE("a bot whose seats are not given back begins anew") {
  std::atomic<int> made = 0;
  Parts parts;
  parts.made = [&] { ++made; };
  const auto first = [](Talk& talk) {
    talk.welcome();
    talk.ask({bid("g", 0, 1)});
    talk.move();
    return broken;
  };
  const auto refused = [](Talk& talk) {
    talk.refuse(v1::REFUSAL_REASON_RESUME, "too late");
    return grpc::Status::OK;
  };
  const auto last = [](Talk& talk) {
    CHECK(talk.welcome("another key").resume_key().empty());
    talk.ask({bid("g", 0, 1)});
    talk.move();
    talk.goodbye();
    return grpc::Status::OK;
  };
  Referee referee({first, refused, last});
  play(referee, parts);
  CHECK(made == 2);
}

TEST_CASE("an answer whose time is over is kept back") {
  std::latch asked(2), go(1);
  Parts parts;
  parts.bid = [&](const bluke::BidView& view) {
    if (view.decision_id == 1) {
      asked.count_down();
      go.wait();
    }
    return 3;
  };
  // Told in a third thread, after all that was said before it has been read.
  parts.told = [&](const std::string& what) {
    if (what == "started mark") go.count_down();
  };
  Referee referee({[&](Talk& talk) {
    talk.welcome();
    talk.ask({bid("late", 0, 1), bid("ends", 0, 1)});
    asked.wait();
    talk.ask({bid("late", 0, 5)});
    talk.say(over("ends"));
    talk.say(started("mark"));
    CHECK(talk.move().decision_id() == 5);
    talk.ask({bid("last", 0, 2)});
    CHECK(talk.move().game_id() == "last");
    talk.goodbye();
    return grpc::Status::OK;
  }});
  auto chosen = options(referee);
  chosen.threads = 3;
  bluke::play([&] { return std::make_unique<Made>(parts); }, chosen);
}

TEST_CASE("a refusal says why, and ends the playing") {
  Referee referee({[](Talk& talk) {
    talk.refuse(v1::REFUSAL_REASON_TOKEN, "the token is unknown: ask the operator");
    return grpc::Status::OK;
  }});
  CHECK(has(error_of<bluke::RefusedError>(referee), "the token is unknown: ask the operator"));
}

TEST_CASE("a stream that dialling again cannot mend ends the playing") {
  using grpc::StatusCode;
  for (const auto code : {StatusCode::ABORTED, StatusCode::INVALID_ARGUMENT, StatusCode::RESOURCE_EXHAUSTED,
                          StatusCode::UNAUTHENTICATED, StatusCode::PERMISSION_DENIED, StatusCode::UNIMPLEMENTED}) {
    Referee referee({[code](Talk& talk) {
      talk.welcome();
      return grpc::Status(code, "for a reason");
    }});
    const std::string text = error_of<bluke::SdkError>(referee);
    CHECK(has(text, code == StatusCode::UNIMPLEMENTED ? "not a Bluke referee" : "for a reason"));
    CHECK(referee.streams() == 1);
  }
}

TEST_CASE("bytes that are no message end the playing") {
  Referee referee({[](Talk& talk) {
    talk.welcome();
    // A string in proto3 is UTF-8, and whoever reads one that is not refuses the whole message.
    talk.ask({bid("\xFF", 0, 1)});
    talk.is_over();
    return grpc::Status::OK;
  }});
  CHECK(has(error_of<bluke::SdkError>(referee), "no message of bluke.v1"));
}

TEST_CASE("where nobody answers the bot gives up") {
  bluke::Options chosen;
  chosen.server = "unix:/nowhere/at/all";
  chosen.give_up = 0ms;
  CHECK_THROWS_AS(bluke::play([] { return std::unique_ptr<bluke::Bot>(); }, chosen), bluke::UnreachableError);
}

TEST_CASE("settings that cannot be are refused before anything is dialled") {
  const auto none = [] { return std::unique_ptr<bluke::Bot>(); };
  bluke::Options chosen;
  chosen.server = "localhost:1";
  chosen.threads = 0;
  CHECK_THROWS_AS(bluke::play(none, chosen), bluke::SetupError);
  chosen.threads = 1;
  chosen.max_games = -1;
  CHECK_THROWS_AS(bluke::play(none, chosen), bluke::SetupError);
  chosen.max_games = 0;
  chosen.ca = "/nowhere/at/all.pem";
  CHECK_THROWS_AS(bluke::play(none, chosen), bluke::SetupError);
}

TEST_CASE("a bot that is stopped says goodbye and leaves") {
  std::latch asked(1);
  std::stop_source source;
  Parts parts;
  parts.bid = [&](const bluke::BidView&) {
    asked.count_down();
    return 1;
  };
  std::promise<bool> said_goodbye;
  Referee referee({[&](Talk& talk) {
    talk.welcome();
    talk.ask({bid("g", 0, 1)});
    // Stopped while it decides, it may leave before its answer has gone.
    said_goodbye.set_value(talk.hear().has_goodbye() || talk.hear().has_goodbye());
    return grpc::Status::OK;
  }});
  const std::jthread stopper([&] {
    asked.wait();
    source.request_stop();
  });
  bluke::play([&] { return std::make_unique<Made>(parts); }, options(referee), source.get_token());
  CHECK(said_goodbye.get_future().get());
}

TEST_CASE("the name of a class is shown without its namespaces") { CHECK(bluke::class_name(typeid(Made)) == "Made"); }
