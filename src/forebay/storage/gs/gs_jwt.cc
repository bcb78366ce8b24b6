#include "forebay/storage/gs/gs_jwt.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"

namespace forebay::storage {
namespace {

constexpr int64_t kAssertionSeconds = 3600;
constexpr char kGsScope[] = "https://www.googleapis.com/auth/devstorage.read_write";

template <auto Free>
struct OpensslDeleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using BioHandle = std::unique_ptr<BIO, OpensslDeleter<BIO_free>>;
using KeyHandle = std::unique_ptr<EVP_PKEY, OpensslDeleter<EVP_PKEY_free>>;
using DigestHandle = std::unique_ptr<EVP_MD_CTX, OpensslDeleter<EVP_MD_CTX_free>>;

Result<KeyHandle> rsa_key(const std::string& pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const auto no_password = [](char*, int, int, void*) { return -1; };
  KeyHandle key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr) : nullptr);
  if (!key || EVP_PKEY_base_id(key.get()) != EVP_PKEY_RSA) {
    return invalid_argument("the private key is no RSA key in PEM");
  }
  return key;
}

}  // namespace

std::string base64_url(std::string_view bytes) {
  return absl::WebSafeBase64Escape(absl::string_view(bytes.data(), bytes.size()));
}

Result<std::string> sign_rs256(std::string_view header_json, std::string_view payload_json,
                               const std::string& private_key) {
  FOREBAY_ASSIGN_OR_RETURN(const KeyHandle key, rsa_key(private_key));
  const std::string text = base64_url(header_json) + "." + base64_url(payload_json);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  const DigestHandle digest(EVP_MD_CTX_new());
  std::string signature(static_cast<size_t>(EVP_PKEY_size(key.get())), '\0');
  size_t size = signature.size();
  const bool is_signed = digest &&
                         EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
                         EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()),
                                        &size, bytes, text.size()) == 1;
  if (!is_signed) {
    return invalid_argument("the private key cannot sign");
  }
  signature.resize(size);
  return text + "." + base64_url(signature);
}

Result<std::string> gs_assertion(const GsServiceAccount& account, int64_t now_s) {
  nlohmann::json header = {{"alg", "RS256"}, {"typ", "JWT"}};
  if (!account.key_id.empty()) {
    header["kid"] = account.key_id;
  }
  const nlohmann::json claims = {{"iss", account.email},
                                 {"scope", kGsScope},
                                 {"aud", account.token_uri},
                                 {"iat", now_s},
                                 {"exp", now_s + kAssertionSeconds}};
  const auto replace = nlohmann::json::error_handler_t::replace;
  return sign_rs256(header.dump(-1, ' ', false, replace), claims.dump(-1, ' ', false, replace),
                    account.private_key);
}

}  // namespace forebay::storage
