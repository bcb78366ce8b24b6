#include "forebay/net/server/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <unistd.h>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

namespace forebay::net {
namespace {

namespace ssl = boost::asio::ssl;

Status check_readable(const std::string& file, std::string_view what) {
  if (access(file.c_str(), R_OK) != 0) {
    return errno_status(errno, fmt::format("{} {}", what, file));
  }
  return ok_status();
}

Status unusable(const std::string& file, std::string_view what, const boost::system::error_code& error) {
  return data_loss("{} {}: not what OpenSSL takes: {}", what, file, error.message());
}

}  // namespace

Result<ssl::context> tls_context(const ServerCertificate& certificate) {
  constexpr std::string_view kChain = "the server's certificate";
  constexpr std::string_view kKey = "the key of the server's certificate";
  FOREBAY_RETURN_IF_ERROR(check_readable(certificate.chain_file, kChain));
  FOREBAY_RETURN_IF_ERROR(check_readable(certificate.key_file, kKey));
  ssl::context context(ssl::context::tls_server);
  SSL_CTX* const native = context.native_handle();
  if (SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) != 1) {
    return internal_error("OpenSSL knows no TLS 1.2");
  }
  SSL_CTX_set_options(native,
                      SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  boost::system::error_code error;
  context.use_certificate_chain_file(certificate.chain_file, error);
  if (error) {
    return unusable(certificate.chain_file, kChain, error);
  }
  context.use_private_key_file(certificate.key_file, ssl::context::pem, error);
  if (error) {
    return unusable(certificate.key_file, kKey, error);
  }
  if (SSL_CTX_check_private_key(native) != 1) {
    ERR_clear_error();
    return data_loss("{} {} does not belong to {}", kKey, certificate.key_file, certificate.chain_file);
  }
  return context;
}

}  // namespace forebay::net
