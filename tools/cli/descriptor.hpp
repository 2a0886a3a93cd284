// Descriptor of an operator, filled from words field=value.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "abi.hpp"
#include "output.hpp"

namespace cli {

// Reads "65536" or "64KiB". Complaints name `option`.
std::uint64_t parse_bytes(const std::string& option, std::string_view text);

// Descriptor of an operator as bytes, accessed through the field table of the C interface.
class Descriptor {
 public:
  explicit Descriptor(const std::string& op_name);

  const adj_header* header() const { return reinterpret_cast<const adj_header*>(storage_.data()); }
  const char* op_name() const { return adj_op_name(op_); }
  const std::vector<adj_field>& fields() const { return fields_; }

  void set(const std::string& word);  // "field=value"
  Json value(const adj_field& field) const;
  std::string type_text(const adj_field& field) const;
  std::string field_table() const;  // the fields with their types and defaults
  std::string argument_table() const;
  Json fields_json() const;     // name, type, default, about
  Json arguments_json() const;  // name, kind, role, presence, about
  static std::string value_text(const Json& value);

 private:
  template <class T>
  T read(std::uint32_t offset) const {
    T value;
    std::memcpy(&value, reinterpret_cast<const char*>(storage_.data()) + offset, sizeof value);
    return value;
  }
  template <class T>
  void write(std::uint32_t offset, T value) {
    std::memcpy(reinterpret_cast<char*>(storage_.data()) + offset, &value, sizeof value);
  }
  const adj_field* list_counted_by(const adj_field& field) const;
  void assign(const adj_field& field, const std::string& text);

  adj_op op_ = ADJ_OP_NONE;
  std::vector<std::uint64_t> storage_;
  std::vector<adj_field> fields_;
  // The descriptor points into these three; a deque keeps addresses.
  std::deque<std::vector<std::int64_t>> lists_;
  std::deque<std::vector<double>> numbers_;
  std::deque<std::string> texts_;
  std::map<std::string, std::string> given_;
};

}  // namespace cli
