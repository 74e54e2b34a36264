#include "client.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "settings.hpp"
#include "text.hpp"

namespace bluke {
namespace {

constexpr std::uint32_t protocol = 1;
// How long a referee that took the connection may take to answer the hello.
constexpr auto welcome_wait = std::chrono::seconds(15);
// Before attempt n a wait is drawn from 0 to first_wait * 2^n, but no more than longest_wait.
constexpr double first_wait = 0.25, longest_wait = 5;

/// Statuses that dialling again cannot mend.
bool is_hopeless(grpc::StatusCode code) {
  switch (code) {
    // Another stream has taken over, or the referee has given this bot up: dialling again would only push it out.
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
    case grpc::StatusCode::UNAUTHENTICATED:
      return true;
    default:
      return false;
  }
}

/// Runs when a scope is left.
template <class Then>
struct Finally {
  Then then;
  ~Finally() { then(); }
};
template <class Then>
Finally(Then) -> Finally<Then>;

}  // namespace

std::string sdk_label() { return "cpp/" BLUKE_SDK_VERSION; }

Client::Client(Factory factory, Options options)
    : factory_(std::move(factory)), options_(std::move(options)), workers_(options_.threads, [this](bool more) {
        if (const auto box = outbox()) more ? box->flush_soon() : box->flush();
      }) {}

void Client::run() {
  give_up_at_ = Clock::now() + options_.give_up;
  const auto is_stopped = [this] {
    const std::lock_guard lock(mutex_);
    return stopped_;
  };
  while (!is_stopped()) {
    const std::optional<std::string> trouble = dial();
    if (!trouble || is_stopped()) return;
    const double most = std::min(longest_wait, first_wait * static_cast<double>(1u << std::min(attempt_, 16)));
    const std::chrono::duration<double> drawn(std::uniform_real_distribution(0.0, most)(dice_));
    const auto wait = std::chrono::duration_cast<Clock::duration>(drawn);
    if (Clock::now() + wait > give_up_at_) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.give_up).count();
      throw UnreachableError("no referee at " + options_.server + " for " + std::to_string(seconds) + " s (" +
                             *trouble + "): start one there, or set BLUKE_SERVER to where it listens");
    }
    if (attempt_ == 0) warn("no referee at " + options_.server + " (" + *trouble + "); trying again");
    ++attempt_;
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, wait, [this] { return stopped_; });
  }
}

void Client::stop(std::string_view reason) {
  std::shared_ptr<Outbox> box;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true)) return;
    leaving_ = true;
    box = outbox_;
    if (context_) {
      const auto cancel = [this] {
        const std::lock_guard cancelling(mutex_);
        if (context_) context_->TryCancel();
      };
      parting_.emplace(box ? parting_wait : std::chrono::milliseconds(0), cancel);
    }
  }
  woken_.notify_all();
  workers_.close();
  if (box) {
    v1::PlayRequest request;
    request.mutable_goodbye()->set_reason(std::string(reason));
    box->say(std::move(request));
  }
}

bool Client::settle(std::chrono::milliseconds wait) {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  return workers_.settle(wait);
}

// The stream

std::optional<std::string> Client::dial() {
  const auto stub = v1::RefereeService::NewStub(open_channel(options_));
  grpc::ClientContext context;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return std::nullopt;
    context_ = &context;
  }
  const Finally detach{[this] {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }};
  std::unique_ptr<Stream> stream;
  v1::PlayResponse first;
  bool heard = false;
  {
    const Patience patience(welcome_wait, [&context] { context.TryCancel(); });
    stream = stub->Play(&context);
    stream->Write(hello());
    heard = stream->Read(&first);
  }
  if (!heard) {
    const std::string trouble = ended(*stream, context, nullptr);
    return trouble == "CANCELLED" ? "it did not answer within 15 s" : trouble;
  }
  if (first.payload_case() == v1::PlayResponse::kWelcome) return converse(*stream, context, first.welcome());
  context.TryCancel();
  stream->Finish();
  switch (first.payload_case()) {
    case v1::PlayResponse::kRefusal:
      return refused(first.refusal());
    case v1::PlayResponse::kGoodbye:
      return std::nullopt;
    default:
      return "its first word was no welcome";
  }
}

std::optional<std::string> Client::converse(Stream& stream, grpc::ClientContext& context, const v1::Welcome& welcome) {
  welcomed(welcome);
  const auto box = std::make_shared<Outbox>(welcome.limits(), [&stream](const v1::PlayRequest& request) {
    return stream.Write(request) && !(request.has_goodbye() && stream.WritesDone());
  });
  bool over = false;
  {
    const std::lock_guard lock(mutex_);
    outbox_ = box;
    over = stopped_;
  }
  v1::PlayResponse response;
  while (!over && stream.Read(&response)) {
    attempt_ = 0;
    switch (response.payload_case()) {
      case v1::PlayResponse::kTurns:
        hear_turns(*response.mutable_turns());
        break;
      case v1::PlayResponse::kGoodbye:
        over = true;
        break;
      default:
        hear(response);
        break;
    }
  }
  {
    const std::lock_guard lock(mutex_);
    outbox_ = nullptr;
  }
  // The dialling again begins with a clock of its own.
  give_up_at_ = Clock::now() + options_.give_up;
  if (!over) return ended(stream, context, box.get());
  context.TryCancel();
  box->close();
  stream.Finish();
  return std::nullopt;
}

std::string Client::ended(Stream& stream, grpc::ClientContext& context, Outbox* box) {
  std::atomic<bool> cut = false;
  grpc::Status end;
  {
    // A message that cannot be decoded ends the reading but not the stream: its status would never come.
    const Patience patience(parting_wait, [&] {
      cut = true;
      context.TryCancel();
    });
    if (box) box->close();
    end = stream.Finish();
  }
  if (cut && end.error_code() == grpc::StatusCode::CANCELLED) {
    throw SdkError("the referee at " + options_.server + " sent bytes that are no message of bluke.v1");
  }
  return status(end);
}

std::string Client::status(const grpc::Status& status) const {
  const grpc::StatusCode code = status.error_code();
  if (code == grpc::StatusCode::UNIMPLEMENTED) {
    throw SdkError(options_.server + " is not a Bluke referee: it speaks gRPC, but not bluke.v1");
  }
  if (is_hopeless(code)) {
    throw SdkError("the referee at " + options_.server + " ended the stream: " + status.error_message());
  }
  if (code == grpc::StatusCode::CANCELLED) return "CANCELLED";
  return status.error_message().empty() ? "the stream ended" : status.error_message();
}

v1::PlayRequest Client::hello() const {
  v1::PlayRequest request;
  v1::Hello& hello = *request.mutable_hello();
  hello.set_token(options_.token);
  hello.set_name(options_.name);
  hello.set_version(options_.version);
  hello.set_sdk(sdk_label());
  hello.set_author(options_.author);
  hello.add_protocols(protocol);
  hello.set_max_games(static_cast<std::uint32_t>(options_.max_games));
  hello.set_resume_key(resume_key_);
  hello.set_wants_events(options_.events);
  return request;
}

std::string Client::refused(const v1::Refusal& refusal) {
  if (resume_key_.empty() || refusal.reason() != v1::REFUSAL_REASON_RESUME) {
    throw RefusedError("refused by the referee at " + options_.server + ": " + refusal.message());
  }
  // The seats are lost, the bot is not: it comes back as a new one.
  warn("the seats were not given back: " + refusal.message());
  resume_key_.clear();
  forget_games();
  return refusal.message();
}

void Client::welcomed(const v1::Welcome& welcome) {
  if (attempt_) warn("playing at " + options_.server);
  if (!resume_key_.empty() && !welcome.resumed()) forget_games();
  resume_key_ = welcome.resume_key();
}

void Client::forget_games() {
  const std::lock_guard lock(mutex_);
  for (auto& [game_id, seats] : games_) {
    for (auto& [number, seat] : seats) seat->gone = true;
  }
  games_.clear();
}

}  // namespace bluke
