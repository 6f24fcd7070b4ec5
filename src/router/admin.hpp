// The admin address: health, metrics, what the router knows, changes of its maps, and a page for people.
//
// Layer: router. Changes are by POST only, and applied only for those who know the token.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "router/event_counts.hpp"
#include "router/http_server.hpp"
#include "router/lookout.hpp"

namespace arcwise::router {

struct AdminSettings {
  std::string address;             ///< host:port; without a host this machine's own
  std::vector<std::string> peers;  ///< the admin addresses of other routers of the same pools
  std::string token;               ///< that who applies a change must know; empty: nobody applies any
};

class Admin {
 public:
  /// `ending`: whether the router is about to end. Called from any thread.
  Admin(AdminSettings settings, Reload& reload, const Board& board, Journal& journal,
        const EventCounts& events, std::function<bool()> ending);
  /// Returns the address it has got.
  Result<std::string> start();

 private:
  HttpReply answer(const HttpRequest& request);
  HttpReply get(const HttpRequest& request);
  HttpReply about_pool(const HttpRequest& request);
  HttpReply about_view(const HttpRequest& request);
  HttpReply change(const HttpRequest& request);
  HttpReply health(const HttpRequest& request, const std::vector<std::string>& because);
  HttpReply page();
  std::string ownership_of(const std::shared_ptr<const Serving>& serving);
  std::vector<std::string> not_ready() const;
  std::vector<std::string> not_healthy() const;
  std::shared_ptr<const std::string> frame();

  const AdminSettings settings_;
  Reload& reload_;
  const Board& board_;
  Journal& journal_;
  const EventCounts& events_;
  const std::function<bool()> ending_;
  Lookout lookout_;
  std::mutex mutex_;
  std::shared_ptr<const View> framed_;  ///< the view that the frame shows
  std::shared_ptr<const std::string> frame_;
  std::map<std::shared_ptr<const Serving>, std::string> ownerships_;  ///< answers that take long
  HttpServer server_;  ///< the last: nobody asks once it is gone
};

/// The first line of a file that holds a token.
Result<std::string> read_token(const std::string& path);
/// `:port` is of this machine's own address: others reach it only where an address says so.
std::string admin_address(const std::string& given);

}  // namespace arcwise::router
