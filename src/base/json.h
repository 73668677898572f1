// Writes JSON, for reports that programs read.
//
//   JsonWriter json;
//   json.begin_object().key("name").value("gelu").key("ns").value(12.5).end_object();
//   json.str();                       // {"name":"gelu","ns":12.5}
//
// The caller opens and closes in order; commas are put here. Text of any bytes is escaped to valid
// JSON, and numbers that JSON has no form for are null.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace frit::base {

class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(int64_t number);
  JsonWriter& value(int number) { return value(int64_t{number}); }
  JsonWriter& value(bool truth);
  const std::string& str() const { return text_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string text_;
  bool first_ = true;  // nothing stands yet in what was opened last, or a key has just been written
};

// The text in quotes. Bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace frit::base
