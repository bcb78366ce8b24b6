// A certificate that vouches for itself, made by OpenSSL.
#include "forebay/serving/testing/self_signed.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

#include "forebay/base/check.h"

namespace forebay::serving::testing {
namespace {

using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using CertificatePtr = std::unique_ptr<X509, decltype(&X509_free)>;
using TextPtr = std::unique_ptr<BIO, decltype(&BIO_free)>;

constexpr long kDaySeconds = 86'400;

void set_extension(X509* certificate, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, id, value);
  FOREBAY_CHECK(extension != nullptr);
  FOREBAY_CHECK(X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

void set_name(X509* certificate) {
  X509_NAME* const name = X509_get_subject_name(certificate);
  const auto* const text = reinterpret_cast<const unsigned char*>("localhost");
  FOREBAY_CHECK(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1);
  FOREBAY_CHECK(X509_set_issuer_name(certificate, name) == 1);
}

std::string text_in(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

}  // namespace

SelfSigned make_self_signed() {
  const KeyPtr key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const CertificatePtr certificate(X509_new(), &X509_free);
  FOREBAY_CHECK(key != nullptr && certificate != nullptr);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDaySeconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kDaySeconds);
  X509_set_pubkey(certificate.get(), key.get());
  set_name(certificate.get());
  set_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  set_extension(certificate.get(), NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  FOREBAY_CHECK(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);

  const TextPtr certificate_text(BIO_new(BIO_s_mem()), &BIO_free);
  const TextPtr key_text(BIO_new(BIO_s_mem()), &BIO_free);
  FOREBAY_CHECK(PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1);
  FOREBAY_CHECK(PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) ==
                1);
  return {text_in(certificate_text.get()), text_in(key_text.get())};
}

}  // namespace forebay::serving::testing
