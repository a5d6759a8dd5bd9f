// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "beam.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace tessera::benchmark::sparse {
namespace {

constexpr index_t width = 12, height = 13;  // nodes of a cross-section

using Vector = std::array<double, 3>;
/// Where a node is in the box: along the width, the height and the length. The nodes at 0 along the length are
/// clamped.
using Node = std::array<index_t, 3>;
using Tetrahedron = std::array<Node, 4>;

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector difference(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

index_t number_of(const Node& node) { return ((node[2] - 1) * height + node[1]) * width + node[0]; }

// A number in [-0.15, 0.15] that looks random. So far apart, no tetrahedron of a cube turns inside out.
double shift(index_t seed) {
  auto bits = static_cast<std::uint64_t>(seed) + 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return (static_cast<double>(bits >> 11) * 0x1p-53 - 0.5) * 0.3;
}

Vector place_of(const Node& node) {
  Vector place;
  for (std::size_t d = 0; d < 3; ++d)
    place[d] = static_cast<double>(node[d]) + shift(3 * number_of(node) + static_cast<index_t>(d));
  return place;
}

// Linear elasticity: the stiffness between two nodes with the gradients a and b of their functions is
// lambda a b^T + mu (b a^T + (a b) I), times the volume.
std::array<Vector, 3> stiffness(const Vector& a, const Vector& b, double volume) {
  constexpr double lambda = 1.0, mu = 1.0;
  std::array<Vector, 3> block;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      block[i][j] = volume * (lambda * a[i] * b[j] + mu * (b[i] * a[j] + (i == j ? dot(a, b) : 0.0)));
  }
  return block;
}

void add_element(const Tetrahedron& nodes, index_t order, std::vector<Triplet<double>>& triplets) {
  std::array<Vector, 4> places, gradients;
  std::transform(nodes.begin(), nodes.end(), places.begin(), place_of);
  const Vector edges[] = {difference(places[1], places[0]), difference(places[2], places[0]),
                          difference(places[3], places[0])};
  const double six_volumes = dot(edges[0], cross(edges[1], edges[2]));
  gradients[0] = {};
  for (std::size_t k = 0; k < 3; ++k) {
    gradients[k + 1] = cross(edges[(k + 1) % 3], edges[(k + 2) % 3]);
    for (double& g : gradients[k + 1]) g /= six_volumes;
    gradients[0] = difference(gradients[0], gradients[k + 1]);
  }
  for (std::size_t m = 0; m < 4; ++m) {
    for (std::size_t n = 0; n < 4; ++n) {
      const auto block = stiffness(gradients[m], gradients[n], std::abs(six_volumes) / 6);
      for (index_t i = 0; i < 3; ++i) {
        for (index_t j = 0; j < 3; ++j) {
          const index_t row = 3 * number_of(nodes[m]) + i, column = 3 * number_of(nodes[n]) + j;
          const bool is_free = nodes[m][2] > 0 && nodes[n][2] > 0 && row < order && column < order;
          if (is_free)
            triplets.push_back({row, column, block[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]});
        }
      }
    }
  }
}

// A cube is cut into six tetrahedra. Each goes from one corner to the opposite one, along three edges.
void add_cube(const Node& corner, index_t order, std::vector<Triplet<double>>& triplets) {
  std::array<std::size_t, 3> directions{0, 1, 2};
  do {
    Tetrahedron nodes{corner, corner, corner, corner};
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t later = k + 1; later < 4; ++later) ++nodes[later][directions[k]];
    }
    add_element(nodes, order, triplets);
  } while (std::next_permutation(directions.begin(), directions.end()));
}

// Appends triplets, those of equal row and column added up: an edge belongs to several tetrahedra.
void append_sums(std::vector<Triplet<double>>& list, std::vector<Triplet<double>>& triplets) {
  const auto place = [](const Triplet<double>& t) { return std::pair(t.row, t.column); };
  std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (k > 0 && place(list[k]) == place(list[k - 1]))
      triplets.back().value += list[k].value;
    else
      triplets.push_back(list[k]);
  }
}

}  // namespace

std::vector<Triplet<double>> beam(index_t order, int part, int parts) {
  constexpr index_t in_layer = 3 * width * height;
  const index_t length = (order + in_layer - 1) / in_layer;
  std::vector<Triplet<double>> triplets;
  for (index_t z = length * part / parts; z < length * (part + 1) / parts; ++z) {
    std::vector<Triplet<double>> layer;
    for (index_t y = 0; y + 1 < height; ++y) {
      for (index_t x = 0; x + 1 < width; ++x) add_cube({x, y, z}, order, layer);
    }
    append_sums(layer, triplets);
  }
  return triplets;
}

}  // namespace tessera::benchmark::sparse
