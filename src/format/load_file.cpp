#include "format/load_file.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "format/columns.hpp"
#include "format/samples.hpp"
#include "format/slot_stats.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

constexpr double most_load = 1e18;
constexpr std::string_view form = "write RANGE BYTES REQUESTS, or a header line that names these columns";

constexpr std::array unit_names{"upto", "range", "slot", "partition", "tablet", "shard", "last_token"};
constexpr std::array request_names{"requests", "ops", "qps", "cpu-usec", "cpu_usec"};
constexpr std::array byte_names{"bytes", "size", "memory-bytes", "memory_bytes"};

template <class Names>
bool is_one_of(std::string_view word, const Names& names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

std::vector<std::string_view> cells(std::string_view line) {
  const char between = line.find('\t') != std::string_view::npos  ? '\t'
                       : line.find(',') != std::string_view::npos ? ','
                                                                  : ' ';
  if (between == ' ') return words(line);
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t end = line.find(between);
    out.push_back(trim(line.substr(0, end)));
    if (end == std::string_view::npos) return out;
    line.remove_prefix(end + 1);
  }
}

struct Columns {
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t unit = 0, bytes = 1, requests = 2, count = 3;
  std::string bytes_name = "bytes", requests_name = "requests";
};

// nullopt: the line is no header. The first column of each kind counts.
Result<std::optional<Columns>> header(const TextLine& line) {
  const std::vector<std::string_view> titles = cells(line.text);
  Columns out;
  out.unit = out.bytes = out.requests = Columns::none;
  out.count = titles.size();
  for (std::size_t i = titles.size(); i-- > 0;) {
    const std::string title = lower(titles[i]);
    if (is_one_of(title, unit_names)) out.unit = i;
    if (is_one_of(title, byte_names)) out.bytes = i, out.bytes_name = title;
    if (is_one_of(title, request_names)) out.requests = i, out.requests_name = title;
  }
  if (out.unit == Columns::none && out.bytes == Columns::none && out.requests == Columns::none)
    return std::optional<Columns>{};
  if (out.unit == Columns::none)
    return line.fault(line.text, "no column says which range", "call one range, slot, partition or upto");
  if (out.bytes == Columns::none && out.requests == Columns::none)
    return line.fault(line.text, "no column of bytes or requests", "call one bytes, or one requests");
  return std::optional(out);
}

std::string unit_advice(const ClusterMap& map) {
  const auto unit = range_rules(map).unit;
  if (unit == RangeRules::Unit::range)
    return "name a range by its end, as `arcwise ranges` lists them under upto";
  return "this map has " + std::string(to_string(unit)) + "s 0 to " + std::to_string(unit_count(map) - 1);
}

class Reader {
 public:
  explicit Reader(const ClusterMap& map) : map_(map), seen_(unit_count(map)) {
    out_.units.resize(seen_.size());
  }

  std::optional<Error> table(const Source& source) {
    const auto lines = text_lines(source);
    if (!lines) return lines.error();
    std::optional<Columns> columns;
    bool any = false;
    for (const TextLine& line : *lines) {
      if (trim(line.text).empty() || line.text.starts_with('#')) continue;
      if (!columns) {
        const auto titles = header(line);
        if (!titles) return titles.error();
        columns = *titles ? **titles : Columns{};
        if (*titles) continue;
      }
      any = true;
      if (auto error = row(line, *columns)) return error;
    }
    if (!any) return Error{ErrorKind::input, {source.name, 0, 0}, "", "no load is listed", std::string(form)};
    if (columns->bytes != Columns::none) out_.bytes = columns->bytes_name;
    if (columns->requests != Columns::none) out_.requests = columns->requests_name;
    return std::nullopt;
  }

  // Microseconds of CPU are the work of a slot; memory is what it holds, and where that is not counted, keys.
  std::optional<Error> slots(const Source& source) {
    const auto stats = parse_slot_stats(source);
    if (!stats) return stats.error();
    for (const SlotStats& slot : *stats) {
      if (slot.slot >= seen_.size() || seen_[slot.slot])
        return fault_at(source, slot.at, std::to_string(slot.slot),
                        slot.slot >= seen_.size() ? "the map has no such slot" : "a slot is listed twice",
                        "ask every master once");
      mark(slot.slot);
      Load& load = out_.units[slot.slot];
      const auto take = [&](double Load::* into, std::string& name, std::initializer_list<const char*> from) {
        for (const char* title : from) {
          const auto value = slot.values.find(title);
          if (value == slot.values.end()) continue;
          load.*into = value->second;
          name = title;
          return;
        }
      };
      take(&Load::requests, out_.requests, {"cpu-usec"});
      take(&Load::bytes, out_.bytes, {"memory-bytes", "key-count"});
    }
    return std::nullopt;
  }

  UnitLoads take() { return std::move(out_); }

 private:
  void mark(std::size_t unit) {
    seen_[unit] = true;
    ++out_.listed;
  }

  std::optional<Error> row(const TextLine& line, const Columns& columns) {
    const std::vector<std::string_view> cell = cells(line.text);
    if (cell.size() != columns.count)
      return line.fault(
          line.text,
          std::to_string(cell.size()) + " columns where there should be " + std::to_string(columns.count),
          std::string(form));
    const auto unit = find_unit(map_, cell[columns.unit]);
    if (!unit)
      return line.fault(cell[columns.unit],
                        "the map has no such " + std::string(to_string(range_rules(map_).unit)),
                        unit_advice(map_));
    if (seen_[*unit]) return line.fault(cell[columns.unit], "it is listed twice", "give each one line");
    mark(*unit);
    for (const auto& [column, into] :
         {std::pair(columns.bytes, &Load::bytes), std::pair(columns.requests, &Load::requests)}) {
      if (column == Columns::none) continue;
      const auto value = parse_size(cell[column]);
      if (!value || *value > most_load)
        return line.fault(cell[column], "not a number from 0 to 1e18", "write 12000, 12k or 3.5GB");
      out_.units[*unit].*into = *value;
    }
    return std::nullopt;
  }

  const ClusterMap& map_;
  std::vector<bool> seen_;
  UnitLoads out_;
};

}  // namespace

Result<UnitLoads> parse_unit_loads(std::span<const Source> sources, const ClusterMap& map) {
  Reader reader(map);
  const bool slots = range_rules(map).unit == RangeRules::Unit::slot;
  for (const Source& source : sources)
    if (auto error =
            slots && looks_like_slot_stats(source.bytes) ? reader.slots(source) : reader.table(source))
      return *error;
  return reader.take();
}

Result<std::vector<KeyLoad>> parse_key_loads(const Source& source) {
  std::map<std::string, Load> loads;
  std::string_view rest = source.bytes;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_raw_line(rest);
    if (line.empty()) continue;
    const auto fault = [&](std::string_view what, std::string why) {
      return Error{ErrorKind::input,
                   {source.name, number, 0},
                   std::string(what.substr(0, 200)),
                   std::move(why),
                   "write KEY, a tab, REQUESTS, and where known a tab and BYTES, one a line"};
    };
    std::array<std::string_view, 4> cell;
    std::size_t count = 0;
    for (std::string_view left = line; count < cell.size(); ++count) {
      const std::size_t tab = left.find('\t');
      cell[count] = left.substr(0, tab);
      if (tab == std::string_view::npos) {
        ++count;
        break;
      }
      left.remove_prefix(tab + 1);
    }
    if (count < 2 || count > 3)
      return fault(line, count < 2 ? "no tab behind the key" : "more than two tabs");
    const auto requests = parse_size(cell[1]), bytes = count == 3 ? parse_size(cell[2]) : 0.0;
    if (!requests || *requests > most_load)
      return fault(cell[1], "requests that are no number from 0 to 1e18");
    if (!bytes || *bytes > most_load) return fault(cell[2], "bytes that are no number from 0 to 1e18");
    loads[unquoted(cell[0])] += Load{*requests, *bytes};
  }
  if (loads.empty())
    return Error{ErrorKind::input,
                 {source.name, 0, 0},
                 "",
                 "no key",
                 "write KEY, a tab, REQUESTS, one a line; the hottest some thousand are enough"};
  std::vector<KeyLoad> out;
  for (const auto& [key, load] : loads) out.push_back({key, {}, load});
  return out;
}

}  // namespace arcwise
