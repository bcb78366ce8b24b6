// The server's certificate, as OpenSSL holds it. For the sources of this folder that see Boost.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include "forebay/base/status.h"
#include "forebay/net/server/http_server.h"

namespace forebay::net {

/// TLS 1.2 and later with OpenSSL's choice of ciphers. not_found, permission_denied or data_loss name the
/// file.
Result<boost::asio::ssl::context> tls_context(const ServerCertificate& certificate);

}  // namespace forebay::net
