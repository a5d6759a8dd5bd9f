// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <utility>
#include <variant>

#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_check.hpp"

namespace tessera::io::hdf5 {

namespace {

Type string_type() {
  Type type(check(H5Tcopy(H5T_C_S1), "H5Tcopy"));
  check(H5Tset_size(type.get(), H5T_VARIABLE), "H5Tset_size");  // a str to h5py; fixed sizes would be bytes
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset");
  return type;
}

Type type_of(const std::vector<std::string>&) { return string_type(); }
template <class T>
Type type_of(const std::vector<T>&) {
  return element_type({element_kind<T>(), sizeof(T)});
}

void write(const Attribute& attribute, const Type& type, const std::vector<std::string>& values) {
  std::vector<const char*> texts;
  for (const auto& text : values) texts.push_back(text.c_str());
  check(H5Awrite(attribute.get(), type.get(), texts.data()), "H5Awrite");
}
template <class T>
void write(const Attribute& attribute, const Type& type, const std::vector<T>& values) {
  check(H5Awrite(attribute.get(), type.get(), values.data()), "H5Awrite");
}

template <class T>
AttributeValue read_numbers(const Attribute& attribute, hid_t type, std::size_t count, bool is_scalar) {
  std::vector<T> values(count);
  if (count > 0) check(H5Aread(attribute.get(), type, values.data()), "H5Aread");
  return is_scalar ? AttributeValue(values.front()) : AttributeValue(values);
}

AttributeValue read_integers(const Attribute& attribute, const Type& type, std::size_t count, bool is_scalar) {
  if (H5Tget_size(type.get()) > 8)
    throw IoError(formatted("the attribute holds integers of {} bytes", H5Tget_size(type.get())));
  if (H5Tget_sign(type.get()) == H5T_SGN_NONE && H5Tget_size(type.get()) >= 8) {
    std::vector<std::uint64_t> values(count);
    if (count > 0) check(H5Aread(attribute.get(), H5T_NATIVE_UINT64, values.data()), "H5Aread");
    for (const std::uint64_t value : values) {
      if (!std::in_range<std::int64_t>(value))
        throw IoError(formatted("the attribute holds {}, which is too large for int64", value));
    }
  }
  return read_numbers<std::int64_t>(attribute, H5T_NATIVE_INT64, count, is_scalar);
}

// HDF5 makes infinite what is too large for a double.
AttributeValue read_reals(const Attribute& attribute, const Type& type, std::size_t count, bool is_scalar) {
  if (H5Tget_size(type.get()) > sizeof(double)) {
    std::vector<long double> values(count);
    if (count > 0) check(H5Aread(attribute.get(), H5T_NATIVE_LDOUBLE, values.data()), "H5Aread");
    for (const long double value : values) {
      if (std::isfinite(value) && !std::isfinite(static_cast<double>(value)))
        throw IoError("the attribute holds a number that is too large for a double");
    }
  }
  return read_numbers<double>(attribute, H5T_NATIVE_DOUBLE, count, is_scalar);
}

AttributeValue read_strings(const Attribute& attribute, const Type& type, const Space& space, std::size_t count,
                            bool is_scalar) {
  std::vector<std::string> values;
  if (H5Tis_variable_str(type.get()) > 0) {
    const Type memory = string_type();
    check(H5Tset_cset(memory.get(), H5Tget_cset(type.get())), "H5Tset_cset");
    std::vector<char*> texts(count, nullptr);
    if (count > 0) check(H5Aread(attribute.get(), memory.get(), texts.data()), "H5Aread");
    for (const char* text : texts) values.emplace_back(text == nullptr ? "" : text);
    if (count > 0)
      check(H5Dvlen_reclaim(memory.get(), space.get(), H5P_DEFAULT, texts.data()), "H5Dvlen_reclaim");
  } else {
    const std::size_t size = H5Tget_size(type.get());
    std::string all(size * count, '\0');
    if (count > 0) check(H5Aread(attribute.get(), type.get(), all.data()), "H5Aread");
    for (std::size_t i = 0; i < count; ++i) {
      std::string text = all.substr(i * size, size);
      if (H5Tget_strpad(type.get()) == H5T_STR_SPACEPAD)
        text.erase(text.find_last_not_of(' ') + 1);
      else
        text.resize(std::min(text.find('\0'), size));
      values.push_back(std::move(text));
    }
  }
  return is_scalar ? AttributeValue(values.front()) : AttributeValue(values);
}

// Creates an attribute of a name that does not exist yet. Errors name it `called`.
void make_attribute(hid_t object, const std::string& name, const std::string& called,
                    const AttributeValue& value) {
  std::visit(
      [&](const auto& values) {
        const Type type = type_of(values);
        const hsize_t count = values.size();
        const Space space(value.is_scalar() ? check(H5Screate(H5S_SCALAR), "H5Screate")
                                            : check(H5Screate_simple(1, &count, nullptr), "H5Screate_simple"));
        const Attribute attribute(
            check(H5Acreate2(object, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                  formatted("attribute \"{}\" cannot be made; has it more than 64 KiB?", called)));
        if (count > 0) write(attribute, type, values);
      },
      value.values());
}

}  // namespace

void write_attribute(const Dataset& dataset, const char* name, const std::string& value) {
  set_attribute(dataset.get(), name, value);
}

void set_attribute(hid_t object, const std::string& name, const AttributeValue& value) {
  if (!has_attribute(object, name)) return make_attribute(object, name, name, value);
  // The old value stays until the new one is written.
  std::string temporary = name + ".tessera-new";
  while (has_attribute(object, temporary)) temporary += '-';
  try {
    make_attribute(object, temporary, name, value);
    check(H5Adelete(object, name.c_str()), "the attribute cannot be replaced");
  } catch (const IoError&) {
    if (H5Aexists(object, temporary.c_str()) > 0) H5Adelete(object, temporary.c_str());
    throw;
  }
  check(H5Arename(object, temporary.c_str(), name.c_str()), "the attribute cannot be replaced");
}

bool has_attribute(hid_t object, const std::string& name) {
  return check(H5Aexists(object, name.c_str()), "H5Aexists") > 0;
}

AttributeValue get_attribute(hid_t object, const std::string& name) {
  const Attribute attribute(
      check(H5Aopen(object, name.c_str(), H5P_DEFAULT), "the attribute cannot be opened"));
  const Type type(check(H5Aget_type(attribute.get()), "H5Aget_type"));
  const Space space(check(H5Aget_space(attribute.get()), "H5Aget_space"));
  const bool is_scalar = H5Sget_simple_extent_type(space.get()) == H5S_SCALAR;
  const auto count = static_cast<std::size_t>(
      check(H5Sget_simple_extent_npoints(space.get()), "H5Sget_simple_extent_npoints"));
  switch (H5Tget_class(type.get())) {
    case H5T_INTEGER:
      return read_integers(attribute, type, count, is_scalar);
    case H5T_ENUM:  // as h5py stores booleans
      return read_integers(attribute, Type(check(H5Tget_super(type.get()), "H5Tget_super")), count, is_scalar);
    case H5T_FLOAT:
      return read_reals(attribute, type, count, is_scalar);
    case H5T_STRING:
      return read_strings(attribute, type, space, count, is_scalar);
    default:
      throw IoError("the attribute holds neither numbers nor strings");
  }
}

std::vector<std::string> attribute_names(hid_t object) {
  std::vector<std::string> names;
  auto add = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "H5Aiterate2");
  return names;
}

}  // namespace tessera::io::hdf5
