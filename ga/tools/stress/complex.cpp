// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "typed_compute.hpp"

namespace tessera::stress {

std::unique_ptr<AnyArray> make_complex(const Group& group, const std::string& name, const Line& line) {
  if (line.word("type") == "complex_float") return make_typed<std::complex<float>>(group, name, line);
  return make_typed<std::complex<double>>(group, name, line);
}

Values compute_complex(const std::string& type, std::size_t rank, const Line& line,
                       const std::vector<Operand>& operands) {
  if (type == "complex_float") return compute_typed<std::complex<float>>(rank, line, operands);
  return compute_typed<std::complex<double>>(rank, line, operands);
}

}  // namespace tessera::stress
