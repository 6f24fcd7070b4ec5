// What the router costs and how fast it is, beside nutcracker on the same servers under the same load:
// clients that ask so many keys at a time, and again when all are answered.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench_report.hpp"
#include "hash/splitmix.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t seed = 1;
constexpr std::size_t keys = 20'000, value_size = 100, connections = 50;

// Whatever ends it, servers and folders go with it: it gives up by an exception, a signal included.
[[noreturn]] void give_up(const std::string& why) {
  throw std::runtime_error(why);
}

volatile std::sig_atomic_t told_to_end = 0;

void take_signals() {
  struct sigaction action{};
  action.sa_handler = [](int signal) { told_to_end = signal; };  // waiting calls return
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void go_on() {
  if (told_to_end) give_up("told to end");
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// Below those that the kernel hands out by itself, which another program's connection may have by the time
// that a server is to listen there.
int free_port() {
  static int candidate = 20'000 + static_cast<int>(getpid()) * 97 % 9'000;
  for (int tries = 0; tries < 3'000; ++tries) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = loopback(++candidate);
    const bool taken = bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0;
    close(fd);
    if (!taken) return candidate;
  }
  give_up("no free port");
}

int connected(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  const sockaddr_in address = loopback(port);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  for (int i = 0; i < 400; ++i) {
    go_on();
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
    usleep(10'000);
  }
  give_up("nobody listens on port " + std::to_string(port));
}

/// A program that is stopped by its own process id.
class Process {
 public:
  Process(std::vector<std::string> command, int port) {
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // where not even a destructor runs
      if (getppid() != parent) _exit(127);
      const int nothing = open("/dev/null", O_RDWR);
      for (const int fd : {0, 1, 2}) dup2(nothing, fd);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    try {
      close(connected(port));
    } catch (...) {
      end();
      throw;
    }
  }
  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  ~Process() { end(); }
  /// Seconds of processor time, as the kernel accounts them.
  double cpu() const {
    double all = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task")) {
      double nanoseconds = 0;
      std::ifstream(task.path() / "schedstat") >> nanoseconds;
      all += nanoseconds * 1e-9;
    }
    return all;
  }

 private:
  void end() const {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  pid_t pid_ = -1;
};

/// A folder of its own, removed at the end.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "arcwise-bench-XXXXXX") {
    if (!mkdtemp(path_.data())) give_up("no folder for temporary files");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

enum class Speaks { memcached, redis };

std::string key(std::uint64_t i) {
  char text[32];
  std::snprintf(text, sizeof text, "key:%016llu", static_cast<unsigned long long>(i * 7919));
  return text;
}
std::string get(Speaks protocol, const std::string& name) {
  return protocol == Speaks::redis ? "*2\r\n$3\r\nGET\r\n$20\r\n" + name + "\r\n" : "get " + name + "\r\n";
}
std::string set(Speaks protocol, const std::string& name) {
  const std::string value(value_size, 'v');
  return protocol == Speaks::redis ? "*3\r\n$3\r\nSET\r\n$20\r\n" + name + "\r\n$100\r\n" + value + "\r\n"
                                   : "set " + name + " 0 0 100\r\n" + value + "\r\n";
}
/// Every value is there and of one size, and so is every answer.
std::size_t answer_size(Speaks protocol) {
  return protocol == Speaks::redis ? 6 + value_size + 2 : 6 + 20 + 8 + value_size + 2 + 5;
}

void store_all(Speaks protocol, int port) {
  const int fd = connected(port);
  const std::size_t answer = protocol == Speaks::redis ? 5 : 8;
  std::array<char, 65536> heard;
  for (std::size_t from = 0; from < keys; from += 100) {
    std::string said;
    for (std::size_t i = from; i < from + 100; ++i) said += set(protocol, key(i));
    if (write(fd, said.data(), said.size()) != static_cast<ssize_t>(said.size())) give_up("cannot store");
    for (std::size_t got = 0; got < 100 * answer;) {
      const ssize_t more = read(fd, heard.data(), heard.size());
      if (more <= 0) give_up("cannot store");
      got += static_cast<std::size_t>(more);
    }
  }
  close(fd);
}

struct Load {
  Speaks protocol;
  std::size_t pipeline, requests;
};
struct Result {
  double requests_per_second, p50_us, p99_us;
};

/// One client of the load: what it asks at a time, and since when it waits.
struct Client {
  int fd;
  std::vector<std::string> batches;
  std::size_t turn = 0, missing = 0;
  Clock::time_point since;

  void ask() {
    const std::string& said = batches[turn++ % batches.size()];
    since = Clock::now();
    if (write(fd, said.data(), said.size()) != static_cast<ssize_t>(said.size()))
      give_up("a request was cut");
  }
};

Result run(const Load& load, int port) {
  arcwise::Splitmix64 random(seed);
  const std::size_t expected = load.pipeline * answer_size(load.protocol);
  std::vector<Client> clients(connections);
  const int poll = epoll_create1(0);
  for (std::size_t c = 0; c < clients.size(); ++c) {
    clients[c].fd = connected(port);
    for (int b = 0; b < 32; ++b) {
      std::string said;
      for (std::size_t i = 0; i < load.pipeline; ++i) said += get(load.protocol, key(random.next() % keys));
      clients[c].batches.push_back(std::move(said));
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = c;
    epoll_ctl(poll, EPOLL_CTL_ADD, clients[c].fd, &event);
  }
  std::vector<double> waits;
  std::array<char, 65536> heard;
  std::array<epoll_event, connections> events;
  std::size_t done = 0;
  const auto began = Clock::now();
  for (Client& client : clients) {
    client.missing = expected;
    client.ask();
  }
  while (done < load.requests) {
    go_on();
    const int count = epoll_wait(poll, events.data(), static_cast<int>(events.size()), 5000);
    if (count <= 0) give_up("no answer within 5 s");
    for (int i = 0; i < count; ++i) {
      Client& client = clients[events[static_cast<std::size_t>(i)].data.u64];
      const ssize_t got = read(client.fd, heard.data(), heard.size());
      if (got <= 0 || static_cast<std::size_t>(got) > client.missing) give_up("not the answer expected");
      client.missing -= static_cast<std::size_t>(got);
      if (client.missing) continue;
      waits.push_back(std::chrono::duration<double, std::micro>(Clock::now() - client.since).count());
      done += load.pipeline;
      client.missing = expected;
      client.ask();
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  for (Client& client : clients) close(client.fd);
  close(poll);
  std::sort(waits.begin(), waits.end());
  return {static_cast<double>(done) / seconds, waits[waits.size() / 2], waits[waits.size() * 99 / 100]};
}

/// Servers, with both routers before them.
class Setting {
 public:
  Setting(Speaks protocol, std::size_t servers, const std::string& arcwised) : protocol_(protocol) {
    std::string listed;
    for (std::size_t i = 0; i < servers; ++i) {
      const int port = free_port();
      const std::string text = std::to_string(port);
      if (protocol == Speaks::redis)
        servers_.emplace_back(
            std::vector<std::string>{"redis-server", "--port", text, "--save", "", "--dir", folder_.path()},
            port);
      else
        servers_.emplace_back(
            std::vector<std::string>{"memcached", "-u", "root", "-l", "127.0.0.1", "-p", text, "-t", "1"},
            port);
      listed += "   - 127.0.0.1:" + text + ":1\n";
      direct_ = port;
    }
    const std::string stats = std::to_string(free_port());
    ours_ = start(arcwised, "ours.yml", listed, {"--config"});
    theirs_ = start("nutcracker", "theirs.yml", listed, {"-s", stats, "-c"});
    store_all(protocol, ports_[0]);
  }
  Speaks protocol() const { return protocol_; }
  std::size_t servers() const { return servers_.size(); }
  int direct() const { return direct_; }
  int ours_port() const { return ports_[0]; }
  int theirs_port() const { return ports_[1]; }
  const Process& ours() const { return routers_[ours_]; }
  const Process& theirs() const { return routers_[theirs_]; }

 private:
  std::size_t start(const std::string& program, const std::string& file, const std::string& listed,
                    std::vector<std::string> options) {
    const int port = free_port();
    std::ofstream(folder_.path() + "/" + file)
        << "pool:\n  listen: 127.0.0.1:" << port
        << "\n  hash: fnv1a_64\n  distribution: ketama\n  timeout: 5000\n"
        << (protocol_ == Speaks::redis ? "  redis: true\n" : "") << "  servers:\n"
        << listed;
    options.insert(options.begin(), program);
    options.push_back(folder_.path() + "/" + file);
    ports_.push_back(port);
    routers_.emplace_back(std::move(options), port);
    return routers_.size() - 1;
  }

  Speaks protocol_;
  Folder folder_;  // outlives those that use it
  std::vector<Process> servers_, routers_;
  std::vector<int> ports_;
  std::size_t ours_ = 0, theirs_ = 0;
  int direct_ = 0;
};

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

struct Figures {
  std::vector<double> cpu_us, rate, p99_us;
};

void measure(Figures& into, const Load& load, int port, const Process* router) {
  const double before = router ? router->cpu() : 0;
  const Result result = run(load, port);
  into.rate.push_back(result.requests_per_second);
  into.p99_us.push_back(result.p99_us);
  if (router) into.cpu_us.push_back((router->cpu() - before) / static_cast<double>(load.requests) * 1e6);
}

void compare(const Setting& setting, std::size_t pipeline, const std::string& heading,
             arcwise::bench::Report& report) {
  const Load load{setting.protocol(), pipeline, report.smoke() ? 2'000u : pipeline == 1 ? 60'000u : 400'000u};
  Figures ours, theirs, direct;
  if (!report.smoke()) {  // nobody's first round counts
    run(load, setting.theirs_port());
    run(load, setting.ours_port());
  }
  for (int round = 0; round < (report.smoke() ? 1 : 5); ++round) {
    measure(theirs, load, setting.theirs_port(), &setting.theirs());
    measure(ours, load, setting.ours_port(), &setting.ours());
    if (setting.servers() == 1) measure(direct, load, setting.direct(), nullptr);
  }
  const auto row = [&](const std::string& name, const Figures& of, std::vector<double> Figures::* what,
                       const std::string& unit, const Figures& peer, const std::string& against) {
    report.row(name, median(of.*what), unit, against, median(of.*what) / median(peer.*what));
  };
  report.heading(heading);
  row("nutcracker: processor time a request", theirs, &Figures::cpu_us, "us", theirs, "nutcracker");
  row("arcwised: processor time a request", ours, &Figures::cpu_us, "us", theirs, "nutcracker");
  row("nutcracker: requests a second", theirs, &Figures::rate, "/s", theirs, "nutcracker");
  row("arcwised: requests a second", ours, &Figures::rate, "/s", theirs, "nutcracker");
  row("nutcracker: 99 of 100 wait less than", theirs, &Figures::p99_us, "us", theirs, "nutcracker");
  row("arcwised: 99 of 100 wait less than", ours, &Figures::p99_us, "us", theirs, "nutcracker");
  if (setting.servers() > 1) return;
  row("one server without a router: requests a second", direct, &Figures::rate, "/s", direct, "itself");
  row("arcwised beside it", ours, &Figures::rate, "/s", direct, "one server without a router");
}

void run_all(arcwise::bench::Report& report, const char* self) {
  const char* given = std::getenv("ARCWISED");
  const std::string arcwised = given ? given : std::filesystem::path(self).parent_path() / "arcwised";
  for (const Speaks protocol : {Speaks::redis, Speaks::memcached})
    for (const std::size_t servers : {std::size_t{1}, std::size_t{4}}) {
      const Setting setting(protocol, servers, arcwised);
      for (const std::size_t pipeline : {std::size_t{1}, std::size_t{16}})
        compare(setting, pipeline,
                std::string(protocol == Speaks::redis ? "Redis" : "memcached") +
                    ", servers: " + std::to_string(servers) + ", 50 clients, " + std::to_string(pipeline) +
                    " requests at a time",
                report);
    }
  report.close(seed);
}

}  // namespace

int main(int argc, char** argv) {
  arcwise::bench::Report report(argc, argv);
  take_signals();
  try {
    run_all(report, argv[0]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return told_to_end ? 128 + told_to_end : 1;
  }
}
