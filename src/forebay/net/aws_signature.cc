#include "forebay/net/aws_signature.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include "fmt/format.h"
#include "forebay/base/check.h"
#include "forebay/net/url.h"

namespace forebay::net {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

using Digest = std::array<unsigned char, 32>;

std::string hex_of(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Digest sha256(const void* data, size_t size_bytes) {
  Digest digest;
  FOREBAY_CHECK(EVP_Digest(data, size_bytes, digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

Digest keyed_hash(std::string_view key, std::string_view text) {
  Digest digest;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  FOREBAY_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(),
                     digest.data(), nullptr) != nullptr);
  return digest;
}

std::string_view text_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// Without spaces around it, and with one in place of several.
std::string canonical_value(std::string_view value) {
  std::string text;
  for (const char c : value) {
    const bool is_space = c == ' ' || c == '\t';
    if (!is_space) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  if (text.ends_with(' ')) {
    text.pop_back();
  }
  return text;
}

/// Headers as they are signed: sorted, one of each name.
AwsFields canonical_headers(const AwsFields& headers) {
  AwsFields sorted;
  for (const auto& [name, value] : headers) {
    sorted.emplace_back(lower_case(name), canonical_value(value));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  AwsFields joined;
  for (auto& [name, value] : sorted) {
    if (!joined.empty() && joined.back().first == name) {
      joined.back().second += "," + value;
    } else {
      joined.emplace_back(std::move(name), std::move(value));
    }
  }
  return joined;
}

std::string names_of(const AwsFields& canonical) {
  std::string names;
  for (const auto& [name, value] : canonical) {
    names += names.empty() ? name : ";" + name;
  }
  return names;
}

std::string scope_text(const AwsScope& scope) {
  return fmt::format("{}/{}/{}/aws4_request", aws_time(scope.unix_seconds).substr(0, 8), scope.region,
                     scope.service);
}

}  // namespace

std::string canonical_query(const AwsFields& query) {
  AwsFields encoded;
  for (const auto& [name, value] : query) {
    encoded.emplace_back(percent_encoded(name, false), percent_encoded(value, false));
  }
  std::sort(encoded.begin(), encoded.end());
  std::string text;
  for (const auto& [name, value] : encoded) {
    text += (text.empty() ? "" : "&") + name + "=" + value;
  }
  return text;
}

std::string sha256_hex(Bytes content) {
  return hex_of(sha256(content.data(), content.size()));
}

std::string aws_time(int64_t unix_seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(unix_seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<std::chrono::seconds> clock(time - day);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string canonical_request(const AwsRequest& request) {
  const AwsFields headers = canonical_headers(request.headers);
  std::string lines;
  for (const auto& [name, value] : headers) {
    lines += name + ":" + value + "\n";
  }
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, request.path.empty() ? "/" : request.path,
                     canonical_query(request.query), lines, names_of(headers), request.payload_hash);
}

std::string aws_signature(const AwsRequest& request, const AwsScope& scope,
                          std::string_view secret_access_key) {
  const std::string canonical = canonical_request(request);
  const std::string time = aws_time(scope.unix_seconds);
  const std::string to_sign = fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time, scope_text(scope),
                                          hex_of(sha256(canonical.data(), canonical.size())));
  std::string first_key = "AWS4" + std::string(secret_access_key);
  Digest key = keyed_hash(first_key, time.substr(0, 8));
  OPENSSL_cleanse(first_key.data(), first_key.size());
  key = keyed_hash(text_of(key), scope.region);
  key = keyed_hash(text_of(key), scope.service);
  key = keyed_hash(text_of(key), "aws4_request");
  return hex_of(keyed_hash(text_of(key), to_sign));
}

AwsFields signing_headers(AwsRequest request, const AwsScope& scope, const AwsCredentials& credentials) {
  AwsFields added = {{"x-amz-date", aws_time(scope.unix_seconds)},
                     {"x-amz-content-sha256", request.payload_hash}};
  if (!credentials.session_token.empty()) {
    added.emplace_back("x-amz-security-token", credentials.session_token);
  }
  request.headers.insert(request.headers.end(), added.begin(), added.end());
  const std::string signature = aws_signature(request, scope, credentials.secret_access_key);
  added.emplace_back("authorization", fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}",
                                                  kAlgorithm, credentials.access_key_id, scope_text(scope),
                                                  names_of(canonical_headers(request.headers)), signature));
  return added;
}

std::string presigned_query(AwsRequest request, const AwsScope& scope, const AwsCredentials& credentials,
                            int64_t lifetime_seconds) {
  request.payload_hash = kUnsignedPayload;
  AwsFields& query = request.query;
  query.emplace_back("X-Amz-Algorithm", kAlgorithm);
  query.emplace_back("X-Amz-Credential", credentials.access_key_id + "/" + scope_text(scope));
  query.emplace_back("X-Amz-Date", aws_time(scope.unix_seconds));
  query.emplace_back("X-Amz-Expires", std::to_string(lifetime_seconds));
  query.emplace_back("X-Amz-SignedHeaders", names_of(canonical_headers(request.headers)));
  if (!credentials.session_token.empty()) {
    query.emplace_back("X-Amz-Security-Token", credentials.session_token);
  }
  const std::string signature = aws_signature(request, scope, credentials.secret_access_key);
  return canonical_query(query) + "&X-Amz-Signature=" + signature;
}

bool is_same_signature(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace forebay::net
