// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hdf5_recipe.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include <hdf5.h>

// Many steps fail, as HDF5 refuses some mixtures. Such a step leaves nothing behind, and the next one follows.
namespace tessera::fuzz {
namespace {

// An id that is closed with its scope. Ids that are not valid are left alone.
class Id {
 public:
  Id(hid_t id) : id_(id) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  ~Id() {
    if (id_ > 0 && H5Iis_valid(id_) > 0) H5Idec_ref(id_);
  }
  operator hid_t() const noexcept { return id_; }

 private:
  hid_t id_;
};

constexpr std::size_t most_bytes = 4096;  // that are written into a dataset
constexpr std::size_t most_bytes_of_chunk = std::size_t{1} << 18;
constexpr std::array<const char*, 10> names{"a",   "g/b",  "time", "positions", "g",
                                            "x/y", "far/", "far",  "\x1b[2J",   "a/under/a/dataset"};
constexpr std::array<const char*, 6> attributes{"unit", "names", "", "tessera", "\n", "CLASS"};
constexpr std::array<hsize_t, 16> sizes{
    0, 1, 2, 3, 4, 5, 7, 12, 2, 3, 100, 70'000, 1ULL << 31, (1ULL << 31) + 5, 1ULL << 40, 1ULL << 62};

class Maker {
 public:
  Maker(Recipe& recipe, const std::filesystem::path& path, const std::filesystem::path& directory)
      : recipe_(recipe), path_(path), directory_(directory) {}

  void make(std::span<const std::string> originals) {
    const unsigned begin = recipe_.pick(static_cast<unsigned>(originals.size()) + 1);
    const Id access = H5Pcreate(H5P_FILE_ACCESS);
    if (recipe_.flip()) H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    if (begin == 0) {
      const Id creation = H5Pcreate(H5P_FILE_CREATE);
      if (recipe_.flip()) H5Pset_userblock(creation, 512);
      file_ = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation, access);
    } else {
      const std::string& bytes = originals[begin - 1];
      std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      file_ = H5Fopen(path_.c_str(), H5F_ACC_RDWR, access);
    }
    constexpr int most_steps = 24;
    for (int i = 0; i < most_steps && !recipe_.is_empty(); ++i) step();
    file_ = H5I_INVALID_HID;
  }

 private:
  void step() {
    switch (recipe_.pick(8)) {
      case 0:
        H5Ldelete(file_, name(), H5P_DEFAULT);
        break;
      case 1:
        add_link();
        break;
      case 2:
      case 3:
        add_attribute();
        break;
      case 4:
        commit_type();
        break;
      default:
        add_dataset();
    }
  }

  const char* name() { return names[recipe_.pick(names.size())]; }
  std::string other_file() {
    constexpr std::array<const char*, 4> others{"raw", "missing", ".", "other.h5"};
    const unsigned which = recipe_.pick(others.size() + 1);
    return which == others.size() ? path_.string() : (directory_ / others[which]).string();
  }

  Id type(int depth = 0) {
    const std::array simple{H5T_NATIVE_DOUBLE, H5T_IEEE_F64BE,     H5T_IEEE_F32LE, H5T_IEEE_F32BE,
                            H5T_STD_I8LE,      H5T_STD_U8BE,       H5T_STD_I16BE,  H5T_STD_U16LE,
                            H5T_STD_I32LE,     H5T_STD_U32BE,      H5T_STD_I64LE,  H5T_STD_I64BE,
                            H5T_STD_U64LE,     H5T_NATIVE_LDOUBLE, H5T_STD_B16LE,  H5T_UNIX_D32LE,
                            H5T_STD_REF_OBJ,   H5T_STD_REF_DSETREG};
    constexpr unsigned kinds = 10;
    const unsigned kind = recipe_.pick(2 * kinds);
    if (kind >= kinds || depth > 2) return H5Tcopy(simple[recipe_.pick(simple.size())]);
    switch (kind) {
      case 0: {
        Id text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, recipe_.flip() ? H5T_VARIABLE : 1 + recipe_.pick(40));
        if (recipe_.flip()) H5Tset_cset(text, H5T_CSET_UTF8);
        H5Tset_strpad(text, static_cast<H5T_str_t>(recipe_.pick(3)));
        return text;
      }
      case 1:
        return H5Tvlen_create(type(depth + 1));
      case 2: {
        const std::array<hsize_t, 3> dims{1 + recipe_.pick(3), 1 + recipe_.pick(3), 2};
        return H5Tarray_create2(type(depth + 1), 1 + recipe_.pick(3), dims.data());
      }
      case 3: {
        Id bytes = H5Tcreate(H5T_OPAQUE, 1 + recipe_.pick(20));
        H5Tset_tag(bytes, recipe_.flip() ? "tag" : "");
        return bytes;
      }
      case 4: {
        Id truth = H5Tenum_create(recipe_.flip() ? H5T_STD_I8LE : H5T_STD_I64BE);
        const std::array<std::int64_t, 2> values{0, 1};
        H5Tenum_insert(truth, "FALSE", &values[0]);
        H5Tenum_insert(truth, "TRUE", &values[1]);
        return truth;
      }
      case 5: {  // integers with odd bits
        Id odd = H5Tcopy(recipe_.flip() ? H5T_STD_I32LE : H5T_STD_U64BE);
        H5Tset_precision(odd, 1 + recipe_.pick(32));
        H5Tset_offset(odd, recipe_.pick(33));
        return odd;
      }
      case 6: {  // floating-point numbers with odd fields, among them those of 16 bits
        Id odd = H5Tcopy(H5T_IEEE_F64LE);
        const unsigned mantissa = 1 + recipe_.pick(40), exponent = 1 + recipe_.pick(12);
        H5Tset_fields(odd, mantissa + exponent, mantissa, exponent, 0, mantissa);
        H5Tset_precision(odd, mantissa + exponent + 1);
        H5Tset_ebias(odd, recipe_.pick(256));
        H5Tset_size(odd, (mantissa + exponent + 8) / 8);
        return odd;
      }
      default:
        return compound(depth);
    }
  }

  // Pairs, most of them complex numbers as other programs write them.
  Id compound(int depth) {
    constexpr std::array<std::array<const char*, 2>, 5> pairs{
        {{"r", "i"}, {"re", "im"}, {"real", "imag"}, {"i", "r"}, {"x", "\x1b"}}};
    const auto& [first, second] = pairs[recipe_.pick(pairs.size())];
    const bool is_odd = recipe_.pick(4) == 3;
    const Id part = is_odd ? type(depth + 1) : Id(H5Tcopy(recipe_.flip() ? H5T_IEEE_F32BE : H5T_NATIVE_DOUBLE));
    const Id other = is_odd ? type(depth + 1) : Id(H5Tcopy(part));
    const std::size_t bytes = H5Tget_size(part), more = H5Tget_size(other), gap = recipe_.pick(4) * 4;
    Id pair = H5Tcreate(H5T_COMPOUND, bytes + more + 2 * gap);
    H5Tinsert(pair, first, gap, part);
    H5Tinsert(pair, second, bytes + gap, other);
    return pair;
  }

  Id space() {
    const unsigned kind = recipe_.pick(16);
    if (kind == 0) return H5Screate(H5S_NULL);
    if (kind == 1) return H5Screate(H5S_SCALAR);
    const unsigned rank = kind == 2 ? 1 + recipe_.pick(H5S_MAX_RANK) : 1 + recipe_.pick(3);
    std::vector<hsize_t> dims(rank), most(rank);
    const bool may_be_large = recipe_.pick(4) == 3;
    for (unsigned d = 0; d < rank; ++d) {
      dims[d] = sizes[recipe_.pick(may_be_large ? static_cast<unsigned>(sizes.size()) : 10)];
      constexpr std::array<hsize_t, 3> more{0, 3, 40};  // HDF5 visits all chunks that there may ever be
      const unsigned growth = recipe_.pick(4);
      most[d] = growth == 3 ? H5S_UNLIMITED : dims[d] + more[growth];
    }
    return H5Screate_simple(static_cast<int>(rank), dims.data(), recipe_.flip() ? most.data() : nullptr);
  }

  void add_filters(hid_t creation) {
    for (unsigned n = recipe_.pick(3); n > 0; --n) {
      const unsigned none = 0;
      switch (recipe_.pick(4)) {  // HDF5 crashes over odd types with n-bit, so not that one
        case 0:
          H5Pset_deflate(creation, recipe_.pick(10));
          break;
        case 1:
          H5Pset_shuffle(creation);
          break;
        case 2:
          H5Pset_fletcher32(creation);
          break;
        default:  // one that this HDF5 has not
          H5Pset_filter(creation, 30'000, H5Z_FLAG_OPTIONAL, 1, &none);
      }
    }
  }

  Id storage(hid_t space, hid_t type, bool is_small) {
    Id creation = H5Pcreate(H5P_DATASET_CREATE);
    const int rank = H5Sget_simple_extent_ndims(space);
    const unsigned kind = recipe_.pick(8);
    if (kind == 0) H5Pset_layout(creation, H5D_COMPACT);
    if (kind == 1) {
      for (unsigned n = 1 + recipe_.pick(2); n > 0; --n)
        H5Pset_external(creation, (directory_ / (recipe_.flip() ? "raw" : "missing")).c_str(),
                        static_cast<off_t>(recipe_.pick(200)),
                        recipe_.flip() ? H5F_UNLIMITED : 8 * recipe_.pick(200));
    }
    if (kind == 2) {
      // HDF5 1.10 recurses without end into a virtual dataset that is its own source.
      const std::string file = (directory_ / (recipe_.flip() ? "other.h5" : "missing")).string();
      H5Pset_virtual(creation, space, file.c_str(), name(), space);
    }
    if (kind >= 5 && rank > 0) {
      std::vector<hsize_t> chunk(static_cast<std::size_t>(rank));
      std::size_t bytes = H5Tget_size(type);  // HDF5 allocates and fills whole chunks
      for (hsize_t& extent : chunk) {
        extent = 1 + recipe_.pick(6);
        if (bytes * extent > most_bytes_of_chunk) extent = 1;
        bytes *= extent;
      }
      H5Pset_chunk(creation, rank, chunk.data());
      add_filters(creation);
    }
    if (recipe_.pick(4) == 3) {
      const std::size_t bytes = H5Tget_size(type);
      const std::vector<unsigned char> fill(std::clamp<std::size_t>(bytes, 1, most_bytes),
                                            static_cast<unsigned char>(recipe_.pick(256)));
      const bool is_plain = bytes <= most_bytes && has_no_pointers(type);
      H5Pset_fill_value(creation, type, is_plain && recipe_.flip() ? fill.data() : nullptr);
    }
    H5Pset_alloc_time(creation,
                      is_small ? static_cast<H5D_alloc_time_t>(recipe_.pick(4)) : H5D_ALLOC_TIME_LATE);
    return creation;
  }

  // Strings inside of another type may be pointers, too.
  static bool has_no_pointers(hid_t type) {
    const bool has_string = H5Tget_class(type) != H5T_STRING && H5Tdetect_class(type, H5T_STRING) != 0;
    return !has_string && H5Tis_variable_str(type) == 0 && H5Tdetect_class(type, H5T_VLEN) == 0 &&
           H5Tdetect_class(type, H5T_REFERENCE) == 0;
  }

  static bool is_small(hid_t space, hid_t type) {
    std::array<hsize_t, H5S_MAX_RANK> dims{};
    const int rank = H5Sget_simple_extent_dims(space, dims.data(), nullptr);
    const std::size_t bytes = H5Tget_size(type);
    double all = static_cast<double>(bytes);  // HDF5's own number of elements may be beyond 2^64
    for (int d = 0; d < rank; ++d) all *= static_cast<double>(dims[static_cast<std::size_t>(d)]);
    return rank >= 0 && bytes > 0 && all <= static_cast<double>(most_bytes);
  }

  // Bytes that are elements of a type without pointers.
  std::vector<unsigned char> elements(hid_t space, hid_t type) {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) *
                                     H5Tget_size(type));
    const unsigned kind = recipe_.pick(4), start = recipe_.pick(256);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<unsigned char>(kind == 0 ? start : kind == 1 ? start + i : recipe_.pick(256));
    return bytes;
  }

  template <class Write>
  void write_elements(hid_t space, hid_t type, Write&& write) {
    if (!is_small(space, type)) return;
    if (H5Tis_variable_str(type) > 0) {
      static const std::string longer(300, 'x');
      const std::array<const char*, 5> texts{nullptr, "", "unit", "\xff\x1b]0;", longer.c_str()};
      std::vector<const char*> all(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
      for (const char*& text : all) text = texts[recipe_.pick(texts.size())];
      write(all.data());
    } else if (has_no_pointers(type)) {
      write(elements(space, type).data());
    }
  }

  void add_dataset() {
    const char* where = name();
    const Id space = this->space(), type = this->type();
    const bool small = is_small(space, type);
    const Id creation = storage(space, type, small), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (recipe_.flip()) H5Ldelete(file_, where, H5P_DEFAULT);
    const Id set = H5Dcreate2(file_, where, type, space, links, creation, H5P_DEFAULT);
    if (set < 0 || recipe_.pick(4) == 3) return;
    write_elements(space, type,
                   [&](const void* data) { H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data); });
  }

  void add_attribute() {
    const Id object = H5Oopen(file_, recipe_.flip() ? "/" : name(), H5P_DEFAULT);
    const char* what = attributes[recipe_.pick(attributes.size())];
    const Id space = this->space(), type = this->type();
    if (object < 0) return;
    if (recipe_.flip()) H5Adelete(object, what);
    // HDF5 would allocate all of a large one.
    if (!is_small(space, type)) return;
    const Id attribute = H5Acreate2(object, what, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return;
    write_elements(space, type, [&](const void* data) { H5Awrite(attribute, type, data); });
  }

  void add_link() {
    const char* from = name();
    const char* to = name();
    switch (recipe_.pick(3)) {
      case 0:
        H5Lcreate_soft(to, file_, from, H5P_DEFAULT, H5P_DEFAULT);
        break;
      case 1:
        H5Lcreate_hard(file_, to, file_, from, H5P_DEFAULT, H5P_DEFAULT);
        break;
      default:
        H5Lcreate_external(other_file().c_str(), to, file_, from, H5P_DEFAULT, H5P_DEFAULT);
    }
  }

  void commit_type() {
    const Id type = this->type();
    H5Tcommit2(file_, name(), type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  }

  Recipe& recipe_;
  const std::filesystem::path& path_;
  const std::filesystem::path& directory_;
  Id file_ = H5I_INVALID_HID;
};

}  // namespace

void make_hdf5_file(Recipe& recipe, const std::filesystem::path& path, const std::filesystem::path& directory,
                    std::span<const std::string> originals) {
  Maker(recipe, path, directory).make(originals);
}

}  // namespace tessera::fuzz
