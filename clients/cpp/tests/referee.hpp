// A referee that says what a test tells it to, on a real stream.
#pragma once

#include <doctest/doctest.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bluke/v1/play.grpc.pb.h"

namespace v1 = bluke::v1;

/// One stream, as the referee sees it.
class Talk {
 public:
  using Stream = grpc::ServerReaderWriter<v1::PlayResponse, v1::PlayRequest>;

  explicit Talk(Stream& stream) : stream_(stream) {}

  void say(const v1::PlayResponse& response) { stream_.Write(response); }

  /// The next message; throws at the end of what the bot says.
  v1::PlayRequest hear() {
    v1::PlayRequest request;
    if (!stream_.Read(&request)) throw std::runtime_error("the bot said nothing more");
    return request;
  }

  /// Whether the bot says nothing more.
  bool is_over() {
    v1::PlayRequest request;
    return !stream_.Read(&request);
  }

  v1::Hello welcome(const std::string& key = "key", bool resumed = false) {
    const v1::PlayRequest request = hear();
    v1::PlayResponse response;
    response.mutable_welcome()->set_protocol(1);
    response.mutable_welcome()->set_resume_key(key);
    response.mutable_welcome()->set_resumed(resumed);
    say(response);
    return request.hello();
  }

  void refuse(v1::RefusalReason reason, const std::string& message) {
    hear();
    v1::PlayResponse response;
    response.mutable_refusal()->set_reason(reason);
    response.mutable_refusal()->set_message(message);
    say(response);
  }

  void ask(const std::vector<v1::Turn>& turns) {
    v1::PlayResponse response;
    for (const v1::Turn& turn : turns) *response.mutable_turns()->add_turns() = turn;
    say(response);
  }

  /// The next move, whatever message it comes in.
  v1::Move move() {
    while (next_ == moves_.moves_size()) {
      const v1::PlayRequest request = hear();
      if (!request.has_moves()) throw std::runtime_error("a move was expected: " + request.ShortDebugString());
      moves_ = request.moves();
      next_ = 0;
    }
    return moves_.moves(next_++);
  }

  void goodbye() {
    v1::PlayResponse response;
    response.mutable_goodbye()->set_reason("the end");
    say(response);
  }

 private:
  Stream& stream_;
  v1::Moves moves_;
  int next_ = 0;
};

/// Plays one script for each stream, in order; a stream too many ends with ABORTED.
class Referee : v1::RefereeService::Service {
 public:
  using Script = std::function<grpc::Status(Talk&)>;

  explicit Referee(std::vector<Script> scripts) : scripts_(std::move(scripts)) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    REQUIRE(port != 0);
    address = "127.0.0.1:" + std::to_string(port);
  }

  ~Referee() override { server_->Shutdown(std::chrono::system_clock::now()); }

  /// How many streams there were.
  std::size_t streams() const { return streams_; }

  std::string address;

 private:
  grpc::Status Play(grpc::ServerContext*, Talk::Stream* stream) override {
    const std::size_t number = streams_++;
    if (number >= scripts_.size()) return {grpc::StatusCode::ABORTED, "this stream was not expected"};
    Talk talk(*stream);
    try {
      return scripts_[number](talk);
    } catch (const std::exception& error) {
      return {grpc::StatusCode::ABORTED, error.what()};
    }
  }

  std::vector<Script> scripts_;
  std::atomic<std::size_t> streams_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

/// A decision with as much of a view as most tests need.
inline v1::Turn turn(const std::string& game, std::uint32_t seat, std::uint64_t decision, v1::Asked asked,
                     const std::vector<std::uint32_t>& legal) {
  v1::Turn turn;
  turn.set_game_id(game);
  turn.set_seat(seat);
  turn.set_decision_id(decision);
  turn.set_asked(asked);
  turn.mutable_legal()->Add(legal.begin(), legal.end());
  turn.mutable_view()->mutable_rules()->set_seats(3);
  return turn;
}

inline v1::Turn bid(const std::string& game, std::uint32_t seat, std::uint64_t decision) {
  return turn(game, seat, decision, v1::ASKED_BID, {1, 2, 3});
}
