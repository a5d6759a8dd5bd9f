// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hdf5_readers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <hdf5.h>
#include <unistd.h>

#include <tessera/io/io.hpp>
#include <tessera/tessera.hpp>

#include "fuzz.hpp"
#include "printable.hpp"

// Memory that HDF5 and MPI lose over odd files is not ours.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5\nleak:libmpi\nleak:libucs\nleak:libfabric\n";
}

namespace tessera::fuzz {
namespace {

namespace fs = std::filesystem;

struct Bytes3 {
  unsigned char b[3];
};

const Group& world() { return Hdf5World::instance().runtime().world(); }

template <class F>
bool attempt(F&& f) {
  try {
    f();
    return true;
  } catch (const io::IoError& error) {
    require(printable(error.what()) == error.what(), "a message is safe for a terminal");
  } catch (const MemoryError&) {  // a file may name any size
  }
  return false;
}

template <std::size_t N>
Patch<N> corner(const std::vector<index_t>& dims) {
  Patch<N> patch;
  for (std::size_t d = 0; d < N; ++d) patch.hi[d] = d < dims.size() ? std::min<index_t>(dims[d], 2) : 1;
  return patch;
}

// HDF5's own reading of all elements as doubles, if it can.
std::vector<double> read_alone(const fs::path& path, const std::string& name, index_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const herr_t status = H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  if (set >= 0) H5Dclose(set);
  if (file >= 0) H5Fclose(file);
  if (status < 0) values.clear();
  return values;
}

template <class T, std::size_t N>
void load_dataset(const fs::path& path, const io::DatasetInfo& info, bool is_corner) {
  attempt([&] {
    if (is_corner)
      io::load<T, N>(world(), path, info.name, corner<N>(info.dims));
    else
      io::load<T, N>(world(), path, info.name);
  });
}

// Into doubles, and compared with what HDF5 reads.
template <std::size_t N>
void load_and_compare(const fs::path& path, const io::DatasetInfo& info) {
  attempt([&] {
    const auto array = io::load<double, N>(world(), path, info.name);
    const index_t count = array.dims().size();
    if (count == 0 || count > 4096) return;
    std::vector<double> values(static_cast<std::size_t>(count));
    array.get(Patch<N>::whole(array.dims()), View<double, N>(values.data(), array.dims()));
    const auto theirs = read_alone(path, info.name, count);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      const bool is_same = values[i] == theirs[i] || (std::isnan(values[i]) && std::isnan(theirs[i]));
      if (!is_same)
        std::fprintf(stderr, "\"%s\" of %s, element %zu: %.17g, and HDF5 reads %.17g\n", info.name.c_str(),
                     info.type.c_str(), i, values[i], theirs[i]);
      require(is_same, "HDF5 reads the same");
    }
  });
}

// Opening a file is nearly all that an input costs. So it opens the file for one dataset, one type, one part.
template <std::size_t N>
void load_one_way(const fs::path& path, const io::DatasetInfo& info, unsigned type, bool is_corner) {
  switch (type) {
    case 0:
      return load_dataset<std::int32_t, N>(path, info, is_corner);
    case 1:
      return load_dataset<float, N>(path, info, is_corner);
    case 2:
      return load_dataset<std::complex<double>, N>(path, info, is_corner);
    case 3:
      return load_dataset<Bytes3, N>(path, info, is_corner);
    default:
      return load_and_compare<N>(path, info);
  }
}

template <class F>
void with_rank(const io::DatasetInfo& info, F&& f) {
  switch (info.dims.size()) {
    case 1:
      return f.template operator()<1>();
    case 3:
      return f.template operator()<3>();
    default:  // another rank is an error
      return f.template operator()<2>();
  }
}

void read_attributes(const io::File& file, const std::string& object) {
  attempt([&] {
    for (const std::string& name : file.attributes(object)) {
      attempt([&] {
        const io::AttributeValue value = file.attribute(object, name);
        attempt([&] { value.as_list<std::string>(); });
        attempt([&] { value.as_list<std::int32_t>(); });
        attempt([&] { value.as<double>(); });
      });
    }
  });
}

// HDF5 allocates and fills all of a dataset when a parallel program opens it to write, however large it is.
bool is_too_large(const io::DatasetInfo& info) {
  double elements = 1;
  for (const index_t extent : info.dims) elements *= static_cast<double>(extent);
  return elements > 1e5;
}

struct Description {
  std::vector<io::DatasetInfo> datasets = {};
  bool may_change = false;
};

Description described(const fs::path& path, unsigned way) {
  Description found;
  auto& all = found.datasets;
  attempt([&] {
    io::File file(world(), path, io::Mode::read);
    found.may_change = attempt([&] { all = file.datasets(); });
    found.may_change = found.may_change && std::none_of(all.begin(), all.end(), is_too_large);
    constexpr std::array names{"a", "g", "g/b", "far", "x/y"};
    const char* name = names[way % names.size()];
    attempt([&] { file.contains(name); });
    attempt([&] { file.dataset(name); });
    attempt([&] { file.steps(name); });
    read_attributes(file, name);
    read_attributes(file, "");
    if (!all.empty()) {
      const std::string& some = all[way % all.size()].name;
      static Array<double, 1> row(world(), {2});
      static Array<double, 2> part(world(), {2, 2});
      attempt([&] { file.read(some, {{0, 0}, {2, 2}}, part); });
      attempt([&] { file.read_step(some, 1, row); });
    }
    file.close();
  });
  return found;
}

void use_disk_array(const fs::path& path, const std::string& name) {
  attempt([&] {
    io::DiskArray<double, 2> disk(world(), path, name, io::Mode::read_write);
    const Patch<2> patch{{0, 0}, {std::min<index_t>(disk.dims()[0], 1), std::min<index_t>(disk.dims()[1], 1)}};
    Array<double, 2> part(world(), patch.extents());
    attempt([&] { disk.read(patch, part); });
    attempt([&] { disk.write(patch, part); });
    disk.close();
  });
}

// How many ids of HDF5 are open. Some may be left by the recipe, whose file HDF5 cannot always close.
std::array<long long, 3> open_ids() {
  std::array<long long, 3> all{static_cast<long long>(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL))};
  std::size_t i = 0;
  for (const H5I_type_t kind : {H5I_DATASPACE, H5I_GENPROP_LST}) {
    hsize_t count = 0;
    H5Inmembers(kind, &count);
    all[++i] = static_cast<long long>(count);
  }
  return all;
}

}  // namespace

Hdf5World& Hdf5World::instance() {
  static Hdf5World world;
  return world;
}

Hdf5World::Hdf5World() {
  setenv("HWLOC_COMPONENTS", "-pci", 1);  // leaks of a library that is unloaded have no name
  setenv("TESSERA_MEMORY_LIMIT", "16M", 1);
  setenv("TESSERA_WARNINGS", "off", 1);
  setenv("TESSERA_PROGRESS", "poll", 1);
  int argc = 0;
  char** argv = nullptr;
  runtime_ = std::make_unique<Runtime>(argc, argv);
  const Group& world = runtime_->world();
  const fs::path memory = "/dev/shm";
  directory_ = (fs::is_directory(memory) ? memory : fs::temp_directory_path()) /
               ("tessera-fuzz-hdf5-" + std::to_string(getpid()));
  fs::create_directory(directory_);
  fs::current_path(directory_);  // for relative names in damaged files
  path_ = directory_ / "input.h5";
  std::ofstream(directory_ / "raw") << "these are the bytes of some elements";
  Array<double, 2> a(world, {12, 5}, {.name = "a"});
  fill(a, 1.5);
  {
    io::File file(world, "ours.h5", io::Mode::create);
    file.write("a", a);
    for (int step = 0; step < 2; ++step) file.append("g/b", a, {.chunks = {5, 2}});
    file.set_attribute("a", "unit", std::vector<std::string>{"hartree", "bohr"});
    file.set_attribute("", "names", 1.5);
    file.close();
  }
  io::save("other.h5", {{"a", a}, {"g/b", a}});
  io::Probes<2> probes(world, "probes.h5", {{.at = {1, 2}, .name = "p"}}, {.fields = {"a"}});
  probes.sample(1, a);
  probes.flush();
  for (const char* name : {"ours.h5", "other.h5", "probes.h5"}) {
    std::ifstream file(name, std::ios::binary);
    originals_.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5set_free_list_limits(-1, -1, -1, -1, -1, -1);  // no page is given back and touched again at each opening
}

Hdf5World::~Hdf5World() {
  std::error_code ignored;
  fs::current_path("/", ignored);
  fs::remove_all(directory_, ignored);
}

void Hdf5World::write_into_file() {
  attempt([&] {
    Array<double, 2> part(world(), {2, 2}), step(world(), {12, 5});
    fill(part, 1.0);
    io::File file(world(), path_, io::Mode::read_write);
    for (const char* name : {"a", "g/b", "x/y", "far"}) {
      attempt([&] { file.write(name, {{0, 0}, {2, 2}}, part); });
      attempt([&] { file.append(name, step); });
      attempt([&] { file.set_attribute(name, "unit", "m"); });
    }
    attempt([&] { file.create_dataset<double, 2>("g/new", {3, 3}); });
    file.close();
  });
}

void Hdf5World::go_on_with_file(unsigned way) {
  if (way < 2) return use_disk_array(path_, way == 0 ? "a" : "g/b");
  attempt([&] {
    Array<double, 2> a(world(), {12, 5});
    io::Probes<2> probes(world(), path_, {{.at = {1, 2}, .name = "p"}}, {.fields = {"a"}, .resume = true});
    for (const double time : {0.5, 2.0}) probes.sample(time, a);
    probes.flush();
  });
}

void Hdf5World::use_file(Use use, unsigned way) {
  constexpr unsigned loads = ways.front() - 1, types = 5, places = loads / types / 2;
  const auto open_before = open_ids();
  const Description found = described(path_, way);
  const auto& all = found.datasets;
  if (use == Use::load && way == loads) {
    attempt([&] { io::load<double, 2>(world(), path_, "far"); });
  } else if (use == Use::load && !all.empty()) {
    const auto& info = all[way / types / 2 % places % all.size()];
    with_rank(info, [&]<std::size_t N>() { load_one_way<N>(path_, info, way % types, way / types % 2 == 1); });
  } else if (found.may_change) {
    if (use == Use::write) write_into_file();
    if (use == Use::go_on) go_on_with_file(way);
  }
  require(open_ids() == open_before,
          "no file, dataset, attribute, type, dataspace or list of properties stays open");
}

}  // namespace tessera::fuzz
