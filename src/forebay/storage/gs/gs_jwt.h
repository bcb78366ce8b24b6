// Tokens that a service account signs about itself, to get one that services take.
//
// Sources: RFC 7515 (JSON Web Signature), RFC 7518, 3.3 (RS256); Google, "Using OAuth 2.0 for Server to
// Server Applications".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::storage {

/// Base64 as URLs may hold it, without padding.
std::string base64_url(std::string_view bytes);

/// The JSON Web Signature of a header and a payload, by RSA and SHA-256: three texts, joined by dots.
/// invalid_argument if `private_key` is no RSA key in PEM. No error holds the key.
Result<std::string> sign_rs256(std::string_view header_json, std::string_view payload_json,
                               const std::string& private_key);

/// What a service account says of itself.
struct GsServiceAccount {
  std::string email;
  std::string key_id;
  std::string private_key;  // PEM; secret
  std::string token_uri;    // who exchanges the token
};

/// The signed token that asks `token_uri` for an hour's access to objects.
Result<std::string> gs_assertion(const GsServiceAccount& account, int64_t now_s);

}  // namespace forebay::storage
