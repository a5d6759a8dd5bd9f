// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_check.hpp"

namespace tessera::io::hdf5 {
namespace {

using tessera::detail::ElementType;

hid_t native(ElementKind kind) {
  switch (kind) {
    case ElementKind::int32:
      return H5T_NATIVE_INT32;
    case ElementKind::int64:
      return H5T_NATIVE_INT64;
    case ElementKind::float32:
    case ElementKind::complex64:
      return H5T_NATIVE_FLOAT;
    default:
      return H5T_NATIVE_DOUBLE;
  }
}

Type complex_type(ElementKind kind, const char* real, const char* imaginary) {
  const auto part = static_cast<std::size_t>(size_of(kind) / 2);
  Type compound(check(H5Tcreate(H5T_COMPOUND, 2 * part), "H5Tcreate"));
  check(H5Tinsert(compound.get(), real, 0, native(kind)), "H5Tinsert");
  check(H5Tinsert(compound.get(), imaginary, part, native(kind)), "H5Tinsert");
  return compound;
}

bool is_complex(ElementKind kind) { return kind == ElementKind::complex64 || kind == ElementKind::complex128; }

Type type_of(const Dataset& dataset) { return Type(check(H5Dget_type(dataset.get()), "H5Dget_type")); }

bool is_type(const Type& found, const ElementType& type) {
  if (type.kind == ElementKind::bytes) {  // their tag is only a comment
    return H5Tget_class(found.get()) == H5T_OPAQUE &&
           H5Tget_size(found.get()) == static_cast<std::size_t>(type.size);
  }
  // Compared in this machine's byte order, so that files from other machines are accepted, and converted when
  // read.
  const Type here(H5Tget_native_type(found.get(), H5T_DIR_ASCEND));
  return here && H5Tget_size(found.get()) == static_cast<std::size_t>(type.size) &&
         check(H5Tequal(here.get(), element_type(type).get()), "H5Tequal") > 0;
}

std::string member_name(const Type& compound, unsigned which) {
  char* name = H5Tget_member_name(compound.get(), which);
  std::string copy = name == nullptr ? "" : name;
  H5free_memory(name);
  return copy;
}

// The names of the real and imaginary parts, if a compound is a pair that programs use for complex numbers;
// else empty.
std::array<std::string, 2> complex_names(const Type& type) {
  if (H5Tget_class(type.get()) != H5T_COMPOUND || H5Tget_nmembers(type.get()) != 2) return {};
  for (unsigned i = 0; i < 2; ++i) {
    if (H5Tget_member_class(type.get(), i) != H5T_FLOAT) return {};
  }
  std::array<std::string, 2> names{member_name(type, 0), member_name(type, 1)};
  constexpr const char* known[][2] = {{"r", "i"}, {"re", "im"}, {"real", "imag"}, {"real", "imaginary"}};
  for (const auto& pair : known) {
    if (names[0] == pair[0] && names[1] == pair[1]) return names;
  }
  return {};
}

[[noreturn]] void refuse(const Dataset& dataset, const ElementType& type) {
  throw IoError(formatted("the dataset holds {}, but elements of {} were expected", describe_type(dataset),
                          tessera::detail::to_string(type)));
}

// The numbers that a floating-point type has: of a mantissa, from the least to the most power of two.
struct FloatRange {
  long double least, most;
  std::size_t mantissa;
  bool holds(const FloatRange& other) const noexcept {
    return least <= other.least && most >= other.most && mantissa >= other.mantissa;
  }
};

FloatRange float_range(hid_t type) {
  std::size_t sign = 0, exponent_at = 0, exponent = 0, mantissa_at = 0, mantissa = 0;
  check(H5Tget_fields(type, &sign, &exponent_at, &exponent, &mantissa_at, &mantissa), "H5Tget_fields");
  const auto bias = static_cast<long double>(H5Tget_ebias(type));
  return {1 - bias - static_cast<long double>(mantissa),
          std::exp2(static_cast<long double>(exponent)) - 2 - bias, mantissa};
}

// HDF5 chooses a native type by the number of bits, and another program may have a wide exponent in few of
// them.
Type native_float(const Type& found) {
  const FloatRange range = float_range(found.get());
  for (const hid_t native : {H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE}) {
    if (float_range(native).holds(range)) return Type(check(H5Tcopy(native), "H5Tcopy"));
  }
  return Type(check(H5Tcopy(H5T_NATIVE_LDOUBLE), "H5Tcopy"));
}

// Whether the elements are those of other datasets, which may have other types.
bool is_virtual(const Dataset& dataset) {
  const Properties creation(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
  return H5Pget_layout(creation.get()) == H5D_VIRTUAL;
}

// The native type nearest to the type of a dataset; none if they are equal. HDF5 converts elements of a virtual
// dataset from their own types, so the native type is wanted there in any case.
Type native_of(const Dataset& dataset, const Type& found) {
  Type near = H5Tget_class(found.get()) == H5T_FLOAT
                  ? native_float(found)
                  : Type(check(H5Tget_native_type(found.get(), H5T_DIR_ASCEND), "H5Tget_native_type"));
  const bool is_native = check(H5Tequal(near.get(), found.get()), "H5Tequal") > 0 && !is_virtual(dataset);
  return is_native ? Type() : std::move(near);
}

// The part that both directions share. The type stays empty if only numbers without imaginary parts are left.
Memory common_memory(const Dataset& dataset, const Type& found, const ElementType& type) {
  Memory memory{.stride = type.size};
  if (type.kind == ElementKind::bytes) {
    if (!is_type(found, type)) refuse(dataset, type);
    memory.type = type_of(dataset);  // HDF5 converts bytes only to bytes with the same tag
  } else if (is_complex(type.kind)) {
    const auto [real, imaginary] = complex_names(found);
    if (!real.empty()) memory.type = complex_type(type.kind, real.c_str(), imaginary.c_str());
  }
  return memory;
}

bool is_filtered(const Dataset& dataset) {
  const Properties creation(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
  return H5Pget_nfilters(creation.get()) > 0;
}

// Whether a value of one of this machine's types is infinite; false if it has another type.
template <class T>
bool is_infinite(hid_t type, hid_t native, const void* value) {
  if (H5Tequal(type, native) <= 0) return false;
  T number{};
  std::memcpy(&number, value, sizeof number);
  return std::isinf(number);
}

}  // namespace

Type element_type(const ElementType& type) {
  if (type.kind == ElementKind::bytes) {
    return Type(check(H5Tcreate(H5T_OPAQUE, static_cast<std::size_t>(type.size)), "H5Tcreate"));
  }
  if (is_complex(type.kind)) return complex_type(type.kind, "r", "i");
  return Type(check(H5Tcopy(native(type.kind)), "H5Tcopy"));
}

std::string describe_type(const Type& type) {
  for (const auto kind : {ElementKind::int32, ElementKind::int64, ElementKind::float32, ElementKind::float64,
                          ElementKind::complex64, ElementKind::complex128}) {
    if (is_type(type, {kind, size_of(kind)})) return tessera::to_string(kind);
  }
  const std::size_t bytes = H5Tget_size(type.get());
  switch (H5Tget_class(type.get())) {
    case H5T_INTEGER:
      return formatted("{}integers of {} bits", H5Tget_sign(type.get()) == H5T_SGN_NONE ? "unsigned " : "",
                       8 * bytes);
    case H5T_FLOAT:
      return formatted("floating-point numbers of {} bits", 8 * bytes);
    case H5T_COMPOUND:
      return formatted("a compound of {} bytes", bytes);
    case H5T_STRING:
      return "strings";
    case H5T_OPAQUE:
      return formatted("bytes of size {}", bytes);
    default:
      return formatted("something else, of {} bytes", bytes);
  }
}

std::string describe_type(const Dataset& dataset) { return describe_type(type_of(dataset)); }

bool has_same_bytes(const Dataset& dataset, const ElementType& type) {
  if (type.kind == ElementKind::bytes) return is_type(type_of(dataset), type);
  return check(H5Tequal(type_of(dataset).get(), element_type(type).get()), "H5Tequal") > 0;
}

Memory memory_to_read(const Dataset& dataset, const ElementType& type) {
  const Type found = type_of(dataset);
  Memory memory = common_memory(dataset, found, type);
  if (!memory.type) {
    const H5T_class_t kind = H5Tget_class(found.get());
    if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_ENUM) refuse(dataset, type);
    memory.type = Type(check(H5Tcopy(native(type.kind)), "H5Tcopy"));
    memory.is_every_second = is_complex(type.kind);
  }
  if (type.kind != ElementKind::bytes) memory.between = native_of(dataset, found);
  return memory;
}

Memory memory_to_write(const Dataset& dataset, const ElementType& type) {
  const Type found = type_of(dataset);
  Memory memory = common_memory(dataset, found, type);
  if (!memory.type) {
    const H5T_class_t kind = H5Tget_class(found.get());
    if (is_complex(type.kind) || (kind != H5T_INTEGER && kind != H5T_FLOAT)) refuse(dataset, type);
    memory.type = element_type(type);
  }
  if (type.kind != ElementKind::bytes) memory.between = native_of(dataset, found);
  if (is_filtered(dataset) && !has_same_bytes(dataset, type)) {
    throw IoError(
        formatted("the dataset is compressed and holds {}, which HDF5 cannot make of {} while it "
                  "compresses in parallel; write an array of the dataset's type",
                  describe_type(dataset), tessera::detail::to_string(type)));
  }
  return memory;
}

ConversionWatch::ConversionWatch(const Properties& transfer) {
  check(H5Pset_type_conv_cb(transfer.get(), look, this), "H5Pset_type_conv_cb");
}

H5T_conv_ret_t ConversionWatch::look(H5T_conv_except_t what, hid_t from, hid_t to, void* value, void*,
                                     void* self) {
  if (what == H5T_CONV_EXCEPT_PRECISION) return H5T_CONV_UNHANDLED;  // rounded
  const char* found = "values out of range";
  if (H5Tget_class(to) == H5T_FLOAT) {  // which has infinities
    if (what != H5T_CONV_EXCEPT_RANGE_HI && what != H5T_CONV_EXCEPT_RANGE_LOW) return H5T_CONV_UNHANDLED;
    if (is_infinite<float>(from, H5T_NATIVE_FLOAT, value) ||
        is_infinite<double>(from, H5T_NATIVE_DOUBLE, value) ||
        is_infinite<long double>(from, H5T_NATIVE_LDOUBLE, value))
      return H5T_CONV_UNHANDLED;
  } else if (what == H5T_CONV_EXCEPT_TRUNCATE || what == H5T_CONV_EXCEPT_NAN) {
    found = "values that are no whole numbers";
  }
  static_cast<ConversionWatch*>(self)->found_ = found;
  return H5T_CONV_ABORT;
}

}  // namespace tessera::io::hdf5
