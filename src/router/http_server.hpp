// A small HTTP server for people and scrapers, never for traffic: whole requests in, whole replies out, and
// streams of server-sent events.
//
// Layer: router. Threads of its own: one that reads, writes and answers what costs nothing, others for the
// rest. Everything that somebody else can make large has a limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arcwise/error.hpp"

namespace arcwise::router {

struct HttpRequest {
  std::string method, path;
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded, in the order given
  std::string content_type, authorization, accept, body;
  /// The first of this name; `otherwise` where there is none.
  std::string_view param(std::string_view name, std::string_view otherwise = {}) const noexcept;
};

struct HttpReply {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  bool stream = false;  ///< instead of the body: frames, one now and one each second
};

struct HttpLimits {
  /// Of those beyond, the one that waits longest and has sent no whole header goes.
  std::size_t connections = 64;
  std::size_t for_health = 8;  ///< more, where none waits: they are answered what costs nothing, and no more
  std::uint32_t header = 16u << 10;
  std::uint64_t body = 64u << 10;  ///< of a POST
  std::chrono::seconds first_header{5};
  std::chrono::seconds idle{30};  ///< for a request to come whole, or a reply to be taken
};

/// `path?a=1&b=%20` taken apart. What is no escape stays as it is.
void split_target(std::string_view target, HttpRequest& out);

/// Whether a page of this Host may speak to a server on this machine: a name that anybody can point here is
/// none of its own (DNS rebinding). Addresses, localhost and the names given are, as they stand.
bool own_host(std::string_view host, const std::vector<std::string>& names);

/// How long an answer takes, and so whom it may hold up: none holds up one of another kind.
enum class Effort : std::uint8_t {
  none,  ///< less than to say that it takes longer
  some,  ///< milliseconds
  much   ///< seconds, of which two are found at a time
};

/// What a server is about.
struct HttpContent {
  std::function<HttpReply(const HttpRequest&)> answer;  ///< called on any thread of the server
  std::function<Effort(std::string_view path)> effort;  ///< of a GET; others take much
  /// Of a stream. Clients of one moment may share it.
  std::function<std::shared_ptr<const std::string>()> frame;
  std::function<void(const std::string&)> trouble;  ///< told what is thrown where no reply can say so
};

class HttpServer {
 public:
  HttpServer(HttpLimits limits, HttpContent content);
  ~HttpServer();  ///< ends every connection

  /// Returns the address it has got. Requests are answered from now on.
  Result<std::string> start(const std::string& address);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace arcwise::router
