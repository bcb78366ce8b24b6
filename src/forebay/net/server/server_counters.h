// The server's counters, over all servers of the process (base/metrics/metrics.h).
#pragma once

#include "forebay/base/metrics/metrics.h"

namespace forebay::net {

/// Looked up once for each server.
struct ServerCounters {
  Counter& connections = counter("http_server_connections");
  Counter& requests = counter("http_server_requests");
  Counter& responses = counter("http_server_responses");  // written whole
  Counter& gone = counter("http_server_gone");            // clients that left before their answer
  Counter& received_bytes = counter("http_server_received_bytes");
  Counter& sent_bytes = counter("http_server_sent_bytes");
  // Requests and connections that were refused, by reason.
  Counter& refused_malformed = counter("http_server_refused_malformed");
  Counter& refused_header = counter("http_server_refused_header");
  Counter& refused_token = counter("http_server_refused_token");
  Counter& refused_by_handler = counter("http_server_refused_by_handler");
  Counter& refused_body_size = counter("http_server_refused_body_size");
  Counter& refused_coding = counter("http_server_refused_coding");
  Counter& refused_memory = counter("http_server_refused_memory");
  Counter& refused_answers = counter("http_server_refused_answers");  // made, and no room for them
  Counter& refused_slow = counter("http_server_refused_slow");
  Counter& dropped_readers =
      counter("http_server_dropped_readers");  // too slow while too many bytes lay here
  Counter& refused_connections = counter("http_server_refused_connections");
};

}  // namespace forebay::net
