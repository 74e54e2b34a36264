#include "settings.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "text.hpp"

namespace bluke {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string read_certificate(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (!file || !std::getline(file, text, '\0')) {
    const std::string why = errno ? std::strerror(errno) : "it is empty";
    throw SetupError("cannot read the CA certificate " + path + ": " + why + " (BLUKE_CA)");
  }
  return text;
}

bool starts_with_one_of(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

Options with_environment(Options options) {
  if (options.server.empty()) options.server = environment("BLUKE_SERVER");
  if (options.token.empty()) options.token = environment("BLUKE_TOKEN");
  if (options.ca.empty()) options.ca = environment("BLUKE_CA");
  options.insecure = options.insecure || environment("BLUKE_INSECURE") == "1";
  if (options.server.empty()) {
    throw SetupError("no referee to dial: set BLUKE_SERVER to its address, such as localhost:7373");
  }
  if (options.threads < 1) throw SetupError("threads is " + std::to_string(options.threads) + ": it takes 1 at least");
  if (options.max_games < 0) {
    throw SetupError("max_games is " + std::to_string(options.max_games) + ": it is 0 for no wish, or a number");
  }
  for (std::string* label : {&options.name, &options.version, &options.author, &options.token}) {
    *label = valid_utf8(*label);
  }
  return options;
}

bool is_local(std::string_view server) {
  if (starts_with_one_of(server, {"unix:", "unix-abstract:"})) return true;
  if (server.starts_with("dns:")) server.remove_prefix(4);
  if (server.starts_with("///")) server.remove_prefix(3);
  std::string_view host = server.substr(0, server.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::shared_ptr<grpc::Channel> open_channel(const Options& options) {
  grpc::ChannelArguments arguments;
  // Which of the two bounds the wait for an answer to a ping depends on the release of gRPC.
  arguments.SetInt("grpc.keepalive_time_ms", 10'000);
  arguments.SetInt("grpc.keepalive_timeout_ms", 5'000);
  arguments.SetInt("grpc.http2.ping_timeout_ms", 5'000);
  arguments.SetInt("grpc.keepalive_permit_without_calls", 1);
  arguments.SetInt("grpc.http2.max_pings_without_data", 0);
  arguments.SetInt("grpc.enable_retries", 0);
  // Dialling again must not wait for what gRPC remembers of the last attempt.
  arguments.SetInt("grpc.use_local_subchannel_pool", 1);
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  if (!options.ca.empty()) {
    credentials = grpc::SslCredentials({read_certificate(options.ca), {}, {}});
  } else if (options.insecure || is_local(options.server)) {
    credentials = grpc::InsecureChannelCredentials();
    // A proxy for the web, common in the environment, would be asked for this very machine.
    arguments.SetInt("grpc.enable_http_proxy", 0);
  } else {
    credentials = grpc::SslCredentials({});
  }
  return grpc::CreateCustomChannel(options.server, credentials, arguments);
}

}  // namespace bluke
