// The tokens that requests to Google Cloud Storage carry, from the places where Google's tools keep them: the
// options of a store, the environment, a key file, the metadata service of an instance.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "forebay/net/client/http_client.h"
#include "forebay/storage/gs/gs_jwt.h"
#include "forebay/storage/gs/gs_options.h"
#include "forebay/storage/remote/renewed_secret.h"

namespace forebay::storage {

/// What stands behind "Bearer", and until when it is good.
struct GsToken {
  std::string text;
  int64_t expires_s = kNeverExpires;
};

using GsTokenSource = SecretSource<GsToken>;
using GsTokenRef = GsTokenSource::Ref;
using GsTokenCallback = GsTokenSource::Callback;

/// A token as authorization servers and the metadata service write it. data_loss for anything else, without
/// its text.
Result<GsTokenRef> parse_gs_token(std::string_view json, int64_t now_s);

/// A user's key file, as `gcloud auth application-default login` writes it.
struct GsUserKeys {
  std::string client_id;
  std::string client_secret;
  std::string refresh_token;
  std::string token_uri;
};
using GsKeyFile = std::variant<GsServiceAccount, GsUserKeys>;

/// A key file. data_loss for what is none, unimplemented for other kinds of keys; errors hold nothing of its
/// text but the kind.
Result<GsKeyFile> parse_gs_key_file(std::string_view json);

/// All places that the options allow. `metadata` asks the metadata service, `client` the servers that
/// exchange keys for tokens. invalid_argument for a variable that cannot be read.
Result<std::shared_ptr<GsTokenSource>> gs_token_source(const GsOptions& options,
                                                       const Environment& environment,
                                                       net::HttpClient& metadata, net::HttpClient& client,
                                                       WallClock clock = wall_clock_seconds);

}  // namespace forebay::storage
