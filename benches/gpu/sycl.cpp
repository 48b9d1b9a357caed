// Aspen's side of the GPU bench: the algorithms of kernels.cu, as SYCL has them.
#include "measure.h"
#include <sycl/sycl.hpp>

using namespace bench;
constexpr const char *side = "ours";

static void memory_bound(sycl::queue &q) {
  float *x = sycl::malloc_device<float>(floats, q), *y = sycl::malloc_device<float>(floats, q);
  const auto wait = [&] { q.wait(); };
  q.parallel_for(sycl::range<1>(floats), [=](sycl::id<1> i) { x[i] = static_cast<float>(i[0] % 4), y[i] = 1; }).wait();
  measure(side, "saxpy, range", 20, [&] { q.parallel_for(sycl::range<1>(floats), [=](sycl::id<1> i) { y[i] = y[i] + 2.f * x[i]; }); }, wait);
  measure(
      side, "saxpy, work-groups", 20,
      [&] {
        q.submit([&](sycl::handler &h) {
          h.parallel_for_work_group(sycl::range<1>(floats / 256), sycl::range<1>(256), [=](sycl::group<1> g) {
            g.parallel_for_work_item([&](sycl::h_item<1> i) {
              const size_t at = i.get_global_id(0);
              y[at] = y[at] + 2.f * x[at];
            });
          });
        });
      },
      wait);
  float last = 0;
  q.memcpy(&last, y + floats - 1, sizeof last).wait();
  right(side, "saxpy", last == 1 + 2 * 3.f * 2 * 6 * 20);
  float *sum = sycl::malloc_shared<float>(1, q);
  measure(
      side, "reduction, range", 20,
      [&] {
        q.parallel_for(sycl::range<1>(floats), sycl::reduction(sum, 0.f, sycl::plus<float>(), {sycl::property::reduction::initialize_to_identity{}}),
                       [=](sycl::id<1> i, auto &r) { r += x[i]; });
      },
      wait);
  right(side, "reduction, range", std::abs(*sum / (1.5f * floats) - 1) < 1e-4f);
  measure(
      side, "reduction, groups of 256", 5,
      [&] {
        q.parallel_for(sycl::nd_range<1>(floats, 256), sycl::reduction(sum, 0.f, sycl::plus<float>(), {sycl::property::reduction::initialize_to_identity{}}),
                       [=](sycl::nd_item<1> i, auto &r) { r += x[i.get_global_id(0)]; });
      },
      wait);
  right(side, "reduction, groups of 256", std::abs(*sum / (1.5f * floats) - 1) < 1e-4f);
  measure(
      side, "sums of groups", 20,
      [&] {
        q.parallel_for(sycl::nd_range<1>(floats, 256), [=](sycl::nd_item<1> i) {
          const float all = sycl::reduce_over_group(i.get_group(), x[i.get_global_id(0)], sycl::plus<float>());
          if (i.get_local_id(0) == 0)
            y[i.get_group(0)] = all;
        });
      },
      wait);
  q.memcpy(&last, y + 77, sizeof last).wait();
  right(side, "sums of groups", last == 384);
  measure(side, "fill of doubles", 20, [&] { q.fill(reinterpret_cast<double *>(x), 1.5, floats / 2); }, wait);
  sycl::free(x, q), sycl::free(y, q), sycl::free(sum, q);
}

static void arithmetic(sycl::queue &q) {
  const auto wait = [&] { q.wait(); };
  sycl::float4 *p = sycl::malloc_device<sycl::float4>(bodies, q), *f = sycl::malloc_device<sycl::float4>(bodies, q);
  q.parallel_for(sycl::range<1>(bodies), [=](sycl::id<1> i) {
     const unsigned k = static_cast<unsigned>(i[0]);
     p[i] = sycl::float4(first(k), second(k), first(k * 3), 1e-4f);
   }).wait();
  measure(
      side, "n-body", 5,
      [&] {
        q.parallel_for(sycl::nd_range<1>(bodies, 256), [=](sycl::nd_item<1> i) {
          const sycl::float4 own = p[i.get_global_id(0)];
          sycl::float3 all(0.f);
          for (unsigned j = 0; j < bodies; ++j) {
            const sycl::float4 other = p[j];
            const float x = other.x() - own.x(), y = other.y() - own.y(), z = other.z() - own.z();
            const float r = sycl::rsqrt(x * x + y * y + z * z + 1e-3f), s = other.w() * r * r * r;
            all.x() += x * s, all.y() += y * s, all.z() += z * s;
          }
          f[i.get_global_id(0)] = sycl::float4(all.x(), all.y(), all.z(), 0.f);
        });
      },
      wait);
  sycl::free(p, q), sycl::free(f, q);
  sycl::float4 *v = sycl::malloc_device<sycl::float4>(vectors, q);
  q.fill(v, sycl::float4(0.5f), vectors).wait();
  measure(
      side, "float4 arithmetic", 10,
      [&] {
        q.parallel_for(sycl::nd_range<1>(vectors, 256), [=](sycl::nd_item<1> i) {
          sycl::float4 a = v[i.get_global_id(0)], b = a * 0.5f;
          for (unsigned k = 0; k < steps; ++k)
            a = a * b + 0.25f;
          v[i.get_global_id(0)] = a;
        });
      },
      wait);
  sycl::free(v, q);
}

static void two_dimensions(sycl::queue &q) {
  const auto wait = [&] { q.wait(); };
  sycl::buffer<float, 2> in({field, field}), out({field, field});
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(in, h, sycl::write_only);
    h.parallel_for(sycl::range<2>(field, field), [=](sycl::id<2> i) { a[i] = first(static_cast<unsigned>(i[0] * field + i[1])); });
  });
  measure(
      side, "stencil", 20,
      [&] {
        q.submit([&](sycl::handler &h) {
          sycl::accessor a(in, h, sycl::read_only);
          sycl::accessor b(out, h, sycl::write_only);
          h.parallel_for(sycl::nd_range<2>({field, field}, {1, 256}), [=](sycl::nd_item<2> i) {
            const size_t y = i.get_global_id(0), x = i.get_global_id(1);
            if (y > 0 && x > 0 && y + 1 < field && x + 1 < field)
              b[y][x] = 0.5f * a[y][x] + 0.125f * (a[y][x - 1] + a[y][x + 1] + a[y - 1][x] + a[y + 1][x]);
          });
        });
      },
      wait);
  {
    sycl::host_accessor b(out, sycl::read_only);
    const unsigned k = 5000 * field + 8191;
    right(side, "stencil", std::abs(b[5000][8191] - (0.5f * first(k) + 0.125f * (first(k - 1) + first(k + 1) + first(k - field) + first(k + field)))) < 1e-5f);
  }
  const size_t all = size_t(matrix) * matrix;
  float *a = sycl::malloc_device<float>(all, q), *b = sycl::malloc_device<float>(all, q), *c = sycl::malloc_device<float>(all, q);
  q.fill(a, 0.5f, all), q.fill(b, 0.25f, all), q.wait();
  measure(
      side, "matrix product, tiles of 16", 3,
      [&] {
        q.submit([&](sycl::handler &h) {
          sycl::local_accessor<float, 2> s({16, 16}, h), t({16, 16}, h);
          h.parallel_for(sycl::nd_range<2>({matrix, matrix}, {16, 16}), [=](sycl::nd_item<2> i) {
            const unsigned y = i.get_local_id(0), x = i.get_local_id(1), row = i.get_global_id(0), column = i.get_global_id(1);
            float sum = 0;
            for (unsigned k = 0; k < matrix; k += 16) {
              s[y][x] = a[row * matrix + k + x];
              t[y][x] = b[(k + y) * matrix + column];
              sycl::group_barrier(i.get_group());
              for (unsigned l = 0; l < 16; ++l)
                sum += s[y][l] * t[l][x];
              sycl::group_barrier(i.get_group());
            }
            c[row * matrix + column] = sum;
          });
        });
      },
      wait);
  float one = 0;
  q.memcpy(&one, c + 12345, sizeof one).wait();
  right(side, "matrix product, tiles of 16", one == 512);
  sycl::free(a, q), sycl::free(b, q), sycl::free(c, q);
}

static void stream_of_doubles(sycl::queue &q) {
  const auto wait = [&] { q.wait(); };
  const auto made = [&] { return sycl::malloc_device<double>(doubles, q); };
  double *a = made(), *b = made(), *c = made(), *sum = sycl::malloc_shared<double>(1, q);
  const sycl::range<1> all(doubles);
  q.parallel_for(all, [=](sycl::id<1> i) { a[i] = 0.125, b[i] = 0.25, c[i] = 0; }).wait();
  measure(side, "STREAM copy", 20, [&] { q.parallel_for(all, [=](sycl::id<1> i) { c[i] = a[i]; }); }, wait);
  measure(side, "STREAM scale", 20, [&] { q.parallel_for(all, [=](sycl::id<1> i) { b[i] = 0.5 * c[i]; }); }, wait);
  measure(side, "STREAM add", 20, [&] { q.parallel_for(all, [=](sycl::id<1> i) { c[i] = a[i] + b[i]; }); }, wait);
  measure(side, "STREAM triad", 20, [&] { q.parallel_for(all, [=](sycl::id<1> i) { a[i] = b[i] + 0.5 * c[i]; }); }, wait);
  measure(
      side, "STREAM dot", 20,
      [&] {
        q.parallel_for(all, sycl::reduction(sum, 0., sycl::plus<double>(), {sycl::property::reduction::initialize_to_identity{}}),
                       [=](sycl::id<1> i, auto &r) { r += a[i] * b[i]; });
      },
      wait);
  double last = 0;
  q.memcpy(&last, a + doubles - 1, sizeof last).wait();
  right(side, "STREAM", stream_is_right(last, *sum));
  sycl::free(a, q), sycl::free(b, q), sycl::free(c, q), sycl::free(sum, q);
}

template <class T> static std::vector<T> all_of(sycl::queue &q, const T *from, size_t count) {
  std::vector<T> out(count);
  q.memcpy(out.data(), from, sizeof(T) * count).wait();
  return out;
}

static void algorithms(sycl::queue &q) {
  const auto wait = [&] { q.wait(); };
  unsigned *x = sycl::malloc_device<unsigned>(items, q), *y = sycl::malloc_device<unsigned>(items, q), *few = sycl::malloc_device<unsigned>(items / 1024, q);
  q.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { x[i] = mixed(static_cast<unsigned>(i[0])); });
  q.fill(few, 0u, bins).wait();
  measure(
      side, "histogram", 20,
      [&] {
        q.submit([&](sycl::handler &h) {
          sycl::local_accessor<unsigned> own(bins, h);
          h.parallel_for(sycl::nd_range<1>(groups * 256, 256), [=](sycl::nd_item<1> i) {
            using sycl::memory_order, sycl::memory_scope, sycl::access::address_space;
            const unsigned t = i.get_local_id(0);
            own[t] = 0;
            sycl::group_barrier(i.get_group());
            for (unsigned k = i.get_global_id(0); k < items; k += i.get_global_range(0))
              sycl::atomic_ref<unsigned, memory_order::relaxed, memory_scope::work_group, address_space::local_space>(own[x[k] & 255]) += 1;
            sycl::group_barrier(i.get_group());
            sycl::atomic_ref<unsigned, memory_order::relaxed, memory_scope::device, address_space::global_space>(few[t]) += own[t];
          });
        });
      },
      wait);
  right(side, "histogram", histogram_is_right(all_of(q, few, bins), 6 * 20));
  measure(
      side, "bitonic sort", 3,
      [&] {
        for (unsigned size = 2; size <= sorted; size *= 2)
          for (unsigned distance = size / 2; distance > 0; distance /= 2)
            q.parallel_for(sycl::range<1>(sorted / 2), [=](sycl::id<1> i) {
              const unsigned pair = i[0], low = (pair & ~(distance - 1)) * 2 + (pair & (distance - 1)), high = low + distance;
              const unsigned a = x[low], b = x[high];
              if ((a > b) == ((low & size) == 0))
                x[low] = b, x[high] = a;
            });
      },
      wait);
  right(side, "bitonic sort", sort_is_right(all_of(q, x, sorted)));
  q.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { x[i] = small_number(static_cast<unsigned>(i[0])); }).wait();
  measure(
      side, "scan", 20,
      [&] {
        q.parallel_for(sycl::nd_range<1>(items / 4, 256), [=](sycl::nd_item<1> i) {
          const unsigned first = i.get_global_id(0) * 4;
          const unsigned v[4] = {x[first], x[first + 1], x[first + 2], x[first + 3]}, own = v[0] + v[1] + v[2] + v[3];
          unsigned before = sycl::exclusive_scan_over_group(i.get_group(), own, sycl::plus<unsigned>());
          if (i.get_local_id(0) == 255)
            few[i.get_group(0)] = before + own;
          for (int k = 0; k < 4; ++k)
            y[first + k] = before, before += v[k];
        });
        q.parallel_for(sycl::nd_range<1>(1024, 1024), [=](sycl::nd_item<1> i) {
          sycl::joint_exclusive_scan(i.get_group(), few, few + items / 1024, few, sycl::plus<unsigned>());
        });
        q.parallel_for(sycl::nd_range<1>(items / 4, 256), [=](sycl::nd_item<1> i) {
          const unsigned first = i.get_global_id(0) * 4, before = few[i.get_group(0)];
          for (int k = 0; k < 4; ++k)
            y[first + k] += before;
        });
      },
      wait);
  right(side, "scan", scan_is_right(all_of(q, y, items)));
  sycl::free(x, q), sycl::free(y, q), sycl::free(few, q);
  unsigned *columns = sycl::malloc_device<unsigned>(rows * filled, q);
  float *elements = sycl::malloc_device<float>(rows * filled, q), *factors = sycl::malloc_device<float>(rows, q), *out = sycl::malloc_device<float>(rows, q);
  q.parallel_for(sycl::range<1>(rows), [=](sycl::id<1> i) {
     const unsigned row = i[0];
     factors[row] = factor(row);
     for (unsigned k = 0; k < filled; ++k)
       columns[row * filled + k] = column(row, k), elements[row * filled + k] = element(row, k);
   }).wait();
  measure(
      side, "SpMV, a sub-group a row", 20,
      [&] {
        q.parallel_for(sycl::nd_range<1>(rows * 32, 256), [=](sycl::nd_item<1> i) {
          const unsigned row = i.get_global_id(0) / 32, lane = i.get_local_id(0) % 32;
          float v = 0;
          for (unsigned k = row * filled + lane; k < (row + 1) * filled; k += 32)
            v += elements[k] * factors[columns[k]];
          v = sycl::reduce_over_group(i.get_sub_group(), v, sycl::plus<float>());
          if (lane == 0)
            out[row] = v;
        });
      },
      wait);
  right(side, "SpMV", product_is_right(all_of(q, out, rows)));
  sycl::free(columns, q), sycl::free(elements, q), sycl::free(factors, q), sycl::free(out, q);
}

static void launches(sycl::queue &q, sycl::queue &free_order) {
  int *p = sycl::malloc_device<int>(1, q);
  const auto wait = [&] { q.wait(); };
  measure(side, "empty kernel and its wait", 2000, [&] { q.single_task([=] {}).wait(); }, [] {});
  measure(side, "10000 in order", 10000, [&] { q.single_task([=] { *p = 1; }); }, wait);
  measure(side, "10000 that follow nothing", 10000, [&] { free_order.single_task([=] { *p = 1; }); }, [&] { free_order.wait(); });
  sycl::free(p, q);
  std::vector<float> host(1024, 1.f);
  measure(
      side, "small buffer", 300,
      [&] {
        sycl::buffer<float> b(host.data(), 1024);
        q.submit([&](sycl::handler &h) {
          sycl::accessor a(b, h);
          h.parallel_for(sycl::range<1>(1024), [=](sycl::id<1> i) { a[i] += 1; });
        });
      },
      wait);
  right(side, "small buffer", host[7] == 1 + 6 * 300);
}

int main() {
  sycl::queue q{sycl::property::queue::in_order{}}, free_order;
  memory_bound(q);
  arithmetic(q);
  two_dimensions(q);
  stream_of_doubles(q);
  algorithms(q);
  launches(q, free_order);
  return wrong != 0;
}
