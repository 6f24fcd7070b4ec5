#include "format/table_text.hpp"

#include <algorithm>
#include <array>

namespace arcwise {
namespace {

constexpr std::size_t page_width = 100;

bool starts_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

void pad(std::string& line, std::size_t columns) {
  line.append(columns, ' ');
}

void trim_right(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace

std::string toned(std::string_view text, Tone tone, bool colour) {
  static constexpr std::array<std::string_view, 6> codes{"",         "\x1b[1m",  "\x1b[2m",
                                                         "\x1b[32m", "\x1b[33m", "\x1b[31m"};
  if (!colour || tone == Tone::plain || text.empty()) return std::string(text);
  return std::string(codes[static_cast<std::size_t>(tone)]) + std::string(text) + "\x1b[0m";
}

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string printable(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (text_width(text) <= columns || columns < 5) return std::string(text);
  const std::size_t head = (columns - 1 + 1) / 2, tail = columns - 1 - head;
  std::size_t from = 0, seen = 0;
  while (from < text.size() && (seen < head || !starts_code_point(text[from])))
    seen += starts_code_point(text[from++]);
  std::size_t to = text.size();
  for (seen = 0; seen < tail;) seen += starts_code_point(text[--to]);
  return std::string(text.substr(0, from)) + "…" + std::string(text.substr(to));
}

Table& Table::row(std::vector<Cell> cells) {
  rows_.push_back({std::move(cells), {}});
  return *this;
}

Table& Table::note(std::string text) {
  rows_.push_back({{}, std::move(text)});
  return *this;
}

std::string Table::text(bool colour, std::size_t indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);  // 0: nothing in it, left out
  for (const Row& row : rows_)
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      widths[i] = std::max(widths[i], text_width(row.cells[i].text));
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (widths[i]) widths[i] = std::max(widths[i], text_width(columns_[i].title));

  std::string out;
  const auto line = [&](auto&& cell_of) {
    std::string text(indent, ' ');
    bool first = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!widths[i]) continue;
      if (!first) text += "  ";
      first = false;
      const Cell cell = cell_of(i);
      const std::size_t room = widths[i] - std::min(widths[i], text_width(cell.text));
      if (columns_[i].right) pad(text, room);
      text += toned(cell.text, cell.tone, colour);
      if (!columns_[i].right) pad(text, room);
    }
    trim_right(text);
    out += text + '\n';
  };
  line([&](std::size_t i) { return Cell(columns_[i].title, Tone::faint); });
  for (const Row& row : rows_) {
    if (row.cells.empty()) {
      out += std::string(indent, ' ') + toned(row.note, Tone::faint, colour) + '\n';
    } else {
      line([&](std::size_t i) { return i < row.cells.size() ? row.cells[i] : Cell(""); });
    }
  }
  return out;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  bool line_start = true;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t wide = text_width(word);
    const bool unit = word[0] == '%';  // stays with its number
    if (!line_start && !unit && column + 1 + wide > width) {
      out += '\n';
      pad(out, indent);
      column = indent;
      line_start = true;
    }
    if (!line_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += wide;
    line_start = false;
  }
  return out;
}

Notes& Notes::line(std::string label, std::string text, Tone tone) {
  lines_.push_back({std::move(label), std::move(text), tone});
  return *this;
}

std::string Notes::text(bool colour) const {
  std::size_t width = 0;
  for (const Line& l : lines_) width = std::max(width, text_width(l.label));
  std::string out;
  for (const Line& l : lines_) {
    std::string label = l.label;
    pad(label, width - text_width(l.label));
    out += toned(label, Tone::faint, colour) + "  " +
           toned(wrapped(l.text, page_width, width + 2), l.tone, colour) + '\n';
  }
  return out;
}

}  // namespace arcwise
