// Options and environment, put together.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string_view>

#include "bluke/bot.hpp"

namespace bluke {

/// The options with what the environment says in the place of what they leave open. Throws SetupError.
Options with_environment(Options options);

/// Whether an address is on this machine, where no TLS is needed.
bool is_local(std::string_view server);

/// A channel: TLS with the CA given, none on this machine, else TLS with the system's roots. Throws SetupError.
std::shared_ptr<grpc::Channel> open_channel(const Options& options);

}  // namespace bluke
