// Text tables for terminals: columns aligned, empty columns left out, colour only where asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace arcwise {

enum class Tone : unsigned char { plain, strong, faint, good, warning, bad };

/// The text in its tone; unchanged without colour.
std::string toned(std::string_view text, Tone tone, bool colour);

/// Columns that a UTF-8 text takes on a terminal: its code points, combining marks and wide ones aside.
std::size_t text_width(std::string_view text);

/// Bytes that would act on a terminal, as \xNN; the rest as it is.
std::string printable(std::string_view text);

/// At most `columns` wide, the middle replaced by "…" where it is longer.
std::string shortened(std::string_view text, std::size_t columns);

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  Cell(std::string t, Tone n = Tone::plain) : text(std::move(t)), tone(n) {}
  Cell(const char* t) : text(t) {}
};

class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;  ///< numbers
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  Table& row(std::vector<Cell> cells);
  /// A line of text between the rows, such as "… 985 more".
  Table& note(std::string text);
  bool empty() const { return rows_.empty(); }
  std::string text(bool colour, std::size_t indent = 0) const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string note;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// Label and text, labels padded to one width, long texts wrapped at 100 columns and hung below themselves.
class Notes {
 public:
  Notes& line(std::string label, std::string text, Tone tone = Tone::plain);
  std::string text(bool colour) const;

 private:
  struct Line {
    std::string label, text;
    Tone tone;
  };
  std::vector<Line> lines_;
};

/// Words wrapped at `width` columns, lines after the first indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace arcwise
