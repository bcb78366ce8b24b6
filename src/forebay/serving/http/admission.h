// What is decided on the head of a request, before its body has come: who may ask, and how much may come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/net/server/server_request.h"

namespace forebay::serving {

inline constexpr const char* kHeaderLength = "Inference-Header-Content-Length";

struct AdmissionRules {
  /// No token is asked for: then pages of other sites that a browser on this host shows must be kept out.
  bool is_open = false;
  /// It listens on this host alone: then requests name this host.
  bool is_local = false;
};

/// Bodies of inference may be as long as the server allows, other bodies 1 MiB; where none is taken, none may
/// come. Refused (403) are, where no token is asked for, requests with an Origin, which a browser sends for
/// pages, and, on this host alone, those whose Host is another: a name that was made to lead here. Where the
/// head says how long the JSON before binary tensors is, room is left for them to be aligned. Answers of a
/// model are taken for about as long as each other.
net::Admission admit(const net::RequestHead& head, const AdmissionRules& rules);

/// How many bytes of the body are JSON, where the request says it; invalid_argument where that is no number.
Result<std::optional<uint64_t>> header_length_of(const net::RequestHead& head);

}  // namespace forebay::serving
