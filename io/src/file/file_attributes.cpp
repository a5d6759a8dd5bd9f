// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <tessera/io/file.hpp>

#include "base/names.hpp"
#include "file/file_state.hpp"
#include "file/open_checks.hpp"
#include "format.hpp"

namespace tessera::io {
namespace {

using tessera::detail::Fingerprint;

std::string context(const detail::FileState& state, std::string_view object, std::string_view name) {
  const std::string call = "attribute in " + state.path().string();
  detail::check_name_in_file(call, object);
  if (name.find('\0') != std::string_view::npos) detail::check_name_in_file(call, name);
  return formatted("attribute \"{}\" of \"{}\" in {}", name, object, state.path().string());
}

// The bytes that it takes in the file. Strings are stored apart from numbers, with some overhead.
index_t bytes_of(const AttributeValue& value) {
  return std::visit(
      [](const auto& values) {
        index_t bytes = 0;
        for (const auto& one : values) {
          if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::string>)
            bytes += 64 + static_cast<index_t>(one.size());
          else
            bytes += static_cast<index_t>(sizeof one);
        }
        return bytes;
      },
      value.values());
}

// Of what all ranks have to pass alike: HDF5 would make a damaged file of different lengths.
Fingerprint fingerprint_of(const AttributeValue& value) {
  Fingerprint print;
  print.add(static_cast<int>(value.values().index())).add(int{value.is_scalar()});
  std::visit(
      [&print](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<T, std::string>) {
          for (const std::string& one : values) print.add(std::string_view(one));
        } else {
          print.add(std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
        }
      },
      value.values());
  return print;
}

// HDF5 ends strings at a byte of zero.
void require_whole_strings(const std::string& what, const AttributeValue& value) {
  const auto* texts = std::get_if<std::vector<std::string>>(&value.values());
  if (texts == nullptr) return;
  for (const std::string& text : *texts) {
    if (text.find('\0') != std::string::npos)
      throw UsageError(formatted("{}: the string has a byte of zero at {}", what, text.find('\0')));
  }
}

hdf5::Object open(const detail::FileState& state, std::string_view object) {
  if (!hdf5::has_object(state.file(), std::string(object)))
    throw IoError("the file has no dataset or group of that name");
  return hdf5::open_object(state.file(), std::string(object));
}

}  // namespace

void File::set_attribute(std::string_view object, std::string_view name, const AttributeValue& value) {
  detail::FileState& s = state();
  const std::string what = context(s, object, name);
  s.require_writable(what);
  s.require_agreement(what, fingerprint_of(value));
  require_whole_strings(what, value);
  bool is_new = false;
  hdf5::Object target;
  s.step(what, [&] {
    if (name.empty()) throw IoError("the attribute needs a name");
    detail::require_inside(s.file(), std::string(object));
    target = open(s, object);
    is_new = !hdf5::has_attribute(target.get(), std::string(name));
  });
  s.agreed(what, is_new);
  s.take_space(bytes_of(value), detail::FileState::Use::later, what);
  s.step(what, [&] { hdf5::set_attribute(target.get(), std::string(name), value); });
}

AttributeValue File::attribute(std::string_view object, std::string_view name) const {
  detail::FileState& s = state();
  AttributeValue value = 0;
  s.step(context(s, object, name), [&] {
    const hdf5::Object target = open(s, object);
    const std::string key(name);
    if (key.empty() || !hdf5::has_attribute(target.get(), key)) {
      throw IoError(formatted("there is no such attribute; there are \"{}\"",
                              joined(hdf5::attribute_names(target.get()), "\", \"")));
    }
    value = hdf5::get_attribute(target.get(), key);
  });
  return value;
}

std::vector<std::string> File::attributes(std::string_view object) const {
  detail::FileState& s = state();
  std::vector<std::string> names;
  s.step(context(s, object, ""), [&] { names = hdf5::attribute_names(open(s, object).get()); });
  return names;
}

}  // namespace tessera::io
