//! Interoperability with backends: `backend_traits`, `get_native`, `make_*`. The headers of OpenCL, CUDA and HIP are not needed: what their
//! handles point to is only declared, under the names by which those headers know it, so the types are the same.
//! Source: SYCL 2020 §4.5.1, §C; for CUDA and HIP, DPC++'s backends; SYCL-CTS `cuda_interop` tests the former.
#pragma once
#include <sycl/absent.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

struct _cl_platform_id;
struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_event;
struct _cl_mem;
struct _cl_program;
struct _cl_kernel;
struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct ihipCtx_t;
struct ihipStream_t;
struct ihipEvent_t;
struct _cl_command_buffer_khr;

namespace sycl {

template <int D, class A> class sampled_image;
template <int D, class A> class unsampled_image;

namespace detail {

/// The types of an object's handle in a backend: what make_* takes, and what get_native gives.
template <backend Backend, class Object> struct native_handle {
  static_assert(never<Object>, "Aspen has no native handle of such an object in this backend: OpenCL has those of platform, device, context, "
                               "queue, event, buffer, kernel_bundle and kernel, CUDA and HIP those of device, context, queue and event");
};
template <class In, class Out = In> struct native_types {
  using input = In;
  using output = Out;
};
template <class T> using several = native_types<T, std::vector<T>>;
template <> struct native_handle<backend::opencl, platform> : native_types<_cl_platform_id *> {};
template <> struct native_handle<backend::opencl, device> : native_types<_cl_device_id *> {};
template <> struct native_handle<backend::opencl, context> : native_types<_cl_context *> {};
template <> struct native_handle<backend::opencl, queue> : native_types<_cl_command_queue *> {};
template <> struct native_handle<backend::opencl, event> : native_types<std::vector<_cl_event *>> {};
template <> struct native_handle<backend::opencl, kernel> : native_types<_cl_kernel *> {};
template <bundle_state S> struct native_handle<backend::opencl, kernel_bundle<S>> : several<_cl_program *> {};
template <class T, int D, class A> struct native_handle<backend::opencl, buffer<T, D, A>> : several<_cl_mem *> {};
template <> struct native_handle<backend::cuda, device> : native_types<int> {};
template <> struct native_handle<backend::cuda, context> : several<CUctx_st *> {};
template <> struct native_handle<backend::cuda, queue> : native_types<CUstream_st *> {};
template <> struct native_handle<backend::cuda, event> : native_types<CUevent_st *> {};
template <class T, int D, class A> struct native_handle<backend::cuda, buffer<T, D, A>> : native_types<std::remove_const_t<T> *> {};
template <> struct native_handle<backend::ext_oneapi_hip, device> : native_types<int> {};
template <> struct native_handle<backend::ext_oneapi_hip, context> : native_types<ihipCtx_t *> {};
template <> struct native_handle<backend::ext_oneapi_hip, queue> : native_types<ihipStream_t *> {};
template <> struct native_handle<backend::ext_oneapi_hip, event> : native_types<ihipEvent_t *> {};
template <class T, int D, class A> struct native_handle<backend::ext_oneapi_hip, buffer<T, D, A>> : native_types<void *> {};
/// No object has these, but programs name them: see interop_handle.
template <ext::oneapi::experimental::graph_state S>
struct native_handle<backend::opencl, ext::oneapi::experimental::command_graph<S>> : native_types<_cl_command_buffer_khr *> {};
template <ext::oneapi::experimental::graph_state S>
struct native_handle<backend::cuda, ext::oneapi::experimental::command_graph<S>> : native_types<CUgraph_st *> {};

/// Programs name each backend that they know. Aspen has no devices of this one, so whoever asks gets `errc::backend_mismatch`. Its own
/// types are in sycl/ext/oneapi/backend/level_zero.hpp.
template <class Object> struct native_handle<backend::ext_oneapi_level_zero, Object> : native_types<void *> {};
/// Whether a backend has devices here.
template <backend Backend> inline constexpr bool is_here = Backend != backend::ext_oneapi_level_zero;

/// Memory of an accessor: objects of OpenCL; elsewhere the address.
template <backend Backend, class T> struct native_memory {
  using type = std::remove_const_t<T> *;
};
template <class T> struct native_memory<backend::opencl, T> {
  using type = std::vector<_cl_mem *>;
};

[[noreturn]] inline void wrong_backend() {
  fail(errc::backend_mismatch, "a native handle: the object belongs to another backend than the one that is asked for; see get_backend");
}

/// Handles as the C ABI has them.
template <class T> std::uintptr_t number_of(T *handle) { return reinterpret_cast<std::uintptr_t>(handle); }
inline std::uintptr_t number_of(int handle) { return static_cast<std::uintptr_t>(handle); }
/// Structures are of backends that are not here.
template <class T, std::enable_if_t<std::is_class_v<T>, int> = 0> [[noreturn]] std::uintptr_t number_of(const T &) { wrong_backend(); }
template <class T, std::enable_if_t<std::is_class_v<T>, int> = 0> [[noreturn]] list<std::uintptr_t> numbers_of(const T &) { wrong_backend(); }
template <class T> T handle_of(std::uintptr_t number) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(number);
  else
    return static_cast<T>(number);
}
template <class T> list<std::uintptr_t> numbers_of(const std::vector<T> &handles) {
  list<std::uintptr_t> out;
  for (const T &handle : handles)
    out.add(number_of(handle));
  return out;
}
template <class T> list<std::uintptr_t> numbers_of(T *handle) {
  list<std::uintptr_t> out;
  out.add(number_of(handle));
  return out;
}
template <class T> inline constexpr bool is_std_vector = false;
template <class T> inline constexpr bool is_std_vector<std::vector<T>> = true;
/// One handle, or a vector of it, as the backend gives it.
template <class Output> Output given_as(const list<std::uintptr_t> &numbers) {
  if constexpr (std::is_pointer_v<Output> || std::is_integral_v<Output>) {
    if (numbers.size() == 0)
      wrong_backend();
    return handle_of<Output>(numbers.data()[0]);
  } else if constexpr (!is_std_vector<Output>) {
    wrong_backend();
  } else {
    Output out;
    for (std::uintptr_t number : numbers)
      out.push_back(handle_of<typename Output::value_type>(number));
    return out;
  }
}
template <class Output> Output given_as(std::uintptr_t number) {
  list<std::uintptr_t> one;
  one.add(number);
  return given_as<Output>(one);
}

inline std::uintptr_t device_native(const aspen_device_t *of, aspen_native_t what, bool retain) {
  std::uintptr_t out = 0;
  check(aspen_device_native(of, what, retain, &out));
  return out;
}
inline std::uintptr_t queue_native(aspen_queue_t *of, aspen_native_t what, bool retain) {
  std::uintptr_t out = 0;
  check(aspen_queue_native(of, what, retain, &out));
  return out;
}
/// With a reference for the caller.
inline std::uintptr_t kept(const native_object &object) {
  check(aspen_native_retain(object.device, object.what, object.handle));
  return object.handle;
}
inline const aspen_device_t *first_device(const context &of) { return of.aspen_state().devices.begin()->aspen_handle(); }

inline list<std::uintptr_t> natives_of(const device &d) {
  list<std::uintptr_t> out;
  out.add(device_native(d.aspen_handle(), ASPEN_NATIVE_DEVICE, true));
  return out;
}
inline list<std::uintptr_t> natives_of(const platform &p) {
  size_t count = 0;
  const aspen_device_t *const *const devices = aspen_platform_devices(p.aspen_handle(), &count);
  list<std::uintptr_t> out;
  out.add(device_native(devices[0], ASPEN_NATIVE_PLATFORM, true));
  return out;
}
inline list<std::uintptr_t> natives_of(const context &c) {
  list<std::uintptr_t> out;
  const shared<native_object> &own = c.aspen_state().native;
  out.add(own ? kept(*own) : device_native(first_device(c), ASPEN_NATIVE_CONTEXT, true));
  return out;
}
inline list<std::uintptr_t> natives_of(const queue &q) {
  list<std::uintptr_t> out;
  out.add(queue_native(q.aspen_handle(), ASPEN_NATIVE_QUEUE, true));
  return out;
}
inline list<std::uintptr_t> natives_of(const event &e) {
  list<std::uintptr_t> out;
  if (e.aspen_natives()) {
    for (const shared<native_object> &own : e.aspen_natives()->all)
      out.add(kept(*own));
    return out;
  }
  const shared<queue_state> &of = e.aspen_queue();
  std::uintptr_t made = 0;
  check(aspen_event_native(e.aspen_handle(), (of ? of->device : device()).aspen_handle(), of ? of->context.aspen_state().native_handle() : 0, true,
                           &made));
  out.add(made);
  return out;
}
inline std::uintptr_t native_of(const kernel_id &of, const device &on, aspen_native_t what) {
  const kernel_identity &own = of.aspen_identity();
  std::uintptr_t out = 0;
  check(aspen_kernel_native(on.aspen_handle(), own.module, own.tag, own.symbol, what, &out));
  return out;
}
inline list<std::uintptr_t> natives_of(const kernel &k) {
  list<std::uintptr_t> out;
  out.add(k.aspen_native() ? kept(*k.aspen_native()) : native_of(k.aspen_id(), *k.get_context().aspen_state().devices.begin(), ASPEN_NATIVE_KERNEL));
  return out;
}
/// The programs of all kernels, each once.
template <bundle_state S> list<std::uintptr_t> natives_of(const kernel_bundle<S> &b) {
  list<std::uintptr_t> out;
  const bundle_contents &own = *b.aspen_contents();
  for (const shared<native_object> &program : own.programs)
    out.add(kept(*program));
  own.each([&](const kernel_id &k) {
    for (const device &d : own.devices) {
      if (!k.aspen_runs_on(d))
        continue;
      const std::uintptr_t program = native_of(k, d, ASPEN_NATIVE_PROGRAM);
      bool again = false;
      for (std::uintptr_t known : out)
        again = again || known == program;
      if (again)
        aspen_native_release(d.aspen_handle(), ASPEN_NATIVE_PROGRAM, program);
      else
        out.add(program);
    }
  });
  return out;
}
/// Memory that the buffer has by now.
template <backend Backend, class T, int D, class A> list<std::uintptr_t> natives_of(const buffer<T, D, A> &b) {
  list<std::uintptr_t> out;
  for (const platform &p : platform::get_platforms()) {
    if (p.get_backend() != Backend)
      continue;
    for (const device &d : p.get_devices()) {
      // Others may get memory for it meanwhile.
      std::vector<std::uintptr_t> some;
      for (size_t count = 8; count > some.size();) {
        some.resize(count);
        count = aspen_buffer_natives(b.aspen_handle(), d.aspen_handle(), some.data(), some.size());
        if (count <= some.size()) {
          some.resize(count);
          break;
        }
      }
      for (std::uintptr_t memory : some) {
        check(aspen_native_retain(d.aspen_handle(), ASPEN_NATIVE_MEMORY, memory));
        out.add(memory);
      }
    }
  }
  return out;
}

template <backend Backend, class Object, class Input> Object found_by(Input handle, aspen_native_t what) {
  for (const platform &p : platform::get_platforms())
    if (p.get_backend() == Backend)
      for (const device &d : p.get_devices())
        if (device_native(d.aspen_handle(), what, false) == number_of(handle)) {
          if constexpr (std::is_same_v<Object, platform>)
            return p;
          else
            return d;
        }
  fail(errc::invalid, "make_platform, make_device: no platform that ASPEN_DEVICE_SELECTOR admits has that handle");
}

/// What a make_* function of a context needs of it.
template <backend Backend> const aspen_device_t *made_in(const context &in) {
  if (in.get_backend() != Backend)
    wrong_backend();
  return first_device(in);
}
/// The native context of any context.
inline std::uintptr_t native_context(const context &of) {
  const std::uintptr_t own = of.aspen_state().native_handle();
  return own ? own : device_native(first_device(of), ASPEN_NATIVE_CONTEXT, false);
}
inline void same_context(const context &in, std::uintptr_t native, const char *what) {
  if (native != native_context(in))
    fail(errc::invalid, what);
}

/// Gives memory of the program's its content back.
struct final_data_native final : final_data {
  void write(const void *) override {
    if (aspen_error_t *error = aspen_buffer_settle_native(buffer, device, context)) {
      std::fprintf(stderr, "a buffer's content could not be given back: %s\n", aspen_error_message(error));
      aspen_error_delete(error);
    }
  }
  aspen_buffer_t *buffer = nullptr;
  const aspen_device_t *device = nullptr;
  std::uintptr_t context = 0;
};

/// Programs of one context in the state that is wanted.
template <bundle_state State>
kernel_bundle<State> bundle_of(const context &in, const list<device> &devices, const list<std::uintptr_t> &programs, errc wrong) {
  const aspen_device_t *const on = devices.begin()->aspen_handle();
  for (std::uintptr_t program : programs) {
    int state = 0;
    std::uintptr_t of = 0;
    check(aspen_native_program(on, program, &state, &of));
    same_context(in, of, "make_kernel_bundle: the program is of another context");
    if (state > static_cast<int>(State) && (State == bundle_state::input || state == static_cast<int>(bundle_state::executable)))
      fail(errc::invalid, "make_kernel_bundle: the program is compiled further than the state that is asked for");
  }
  shared<bundle_contents> made(new bundle_contents(in, devices));
  made->restricted = true;
  if (State == bundle_state::executable && programs.size() > 1) {
    // Those that are no executables are linked to one.
    list<std::uintptr_t> objects;
    for (std::uintptr_t program : programs) {
      int state = 0;
      std::uintptr_t of = 0;
      check(aspen_native_program(on, program, &state, &of));
      if (state == static_cast<int>(State))
        made->programs.add(keep_native(on, ASPEN_NATIVE_PROGRAM, program));
      else
        objects.add(program);
    }
    std::uintptr_t linked = 0;
    if (objects.size() > 0) {
      check(aspen_native_build(on, objects.data(), objects.size(), static_cast<int>(State), &linked));
      made->programs.add(shared<native_object>(new native_object(on, ASPEN_NATIVE_PROGRAM, linked)));
    }
    return kernel_bundle<State>(made);
  }
  for (std::uintptr_t program : programs) {
    std::uintptr_t built = 0;
    aspen_error_t *const error = aspen_native_build(on, &program, 1, static_cast<int>(State), &built);
    if (error && wrong != errc::build) {
      const std::string told = aspen_error_message(error);
      const int native = aspen_error_native(error);
      aspen_error_delete(error);
      fail(wrong, told.c_str(), native);
    }
    check(error);
    made->programs.add(shared<native_object>(new native_object(on, ASPEN_NATIVE_PROGRAM, built)));
  }
  return kernel_bundle<State>(made);
}

template <class Object, class = void> inline constexpr bool knows_backend = false;
template <class Object> inline constexpr bool knows_backend<Object, std::void_t<decltype(std::declval<const Object &>().get_backend())>> = true;
/// The numbers of errors of a backend's own interface.
enum class native_error : int {};

} // namespace detail

template <backend Backend> class backend_traits {
public:
  using errc = detail::native_error;
  template <class Object> using input_type = typename detail::native_handle<Backend, Object>::input;
  template <class Object> using return_type = typename detail::native_handle<Backend, Object>::output;
};
template <backend Backend, class Object> using backend_input_t = typename backend_traits<Backend>::template input_type<Object>;
template <backend Backend, class Object> using backend_return_t = typename backend_traits<Backend>::template return_type<Object>;
/// Source: SYCL 2020 §4.13.2.
template <backend Backend> using errc_for = typename backend_traits<Backend>::errc;

/// The object's handle. One of OpenCL has a reference for the caller, who releases it; those of CUDA stay the runtime's.
template <backend Backend, class Object> backend_return_t<Backend, Object> get_native(const Object &of) {
  if constexpr (!detail::is_here<Backend>) {
    detail::wrong_backend();
  } else if constexpr (detail::knows_backend<Object>) {
    if (of.get_backend() != Backend)
      detail::wrong_backend();
    return detail::given_as<backend_return_t<Backend, Object>>(detail::natives_of(of));
  } else {
    return detail::given_as<backend_return_t<Backend, Object>>(detail::natives_of<Backend>(of));
  }
}

template <backend Backend> platform make_platform(const backend_input_t<Backend, platform> &handle) {
  return detail::found_by<Backend, platform>(handle, ASPEN_NATIVE_PLATFORM);
}
template <backend Backend> device make_device(const backend_input_t<Backend, device> &handle) {
  return detail::found_by<Backend, device>(handle, ASPEN_NATIVE_DEVICE);
}
/// Of those of its devices that ASPEN_DEVICE_SELECTOR admits. Kernels and unified shared memory stay in the runtime's own context.
template <backend Backend> context make_context(const backend_input_t<Backend, context> &handle, const async_handler &handler = {}) {
  detail::list<device> devices;
  for (const platform &p : platform::get_platforms()) {
    if (p.get_backend() != Backend)
      continue;
    for (const device &d : p.get_devices()) {
      int in = 0;
      detail::check(aspen_native_is_in(d.aspen_handle(), detail::number_of(handle), &in));
      if (in)
        devices.add(d);
    }
  }
  if (devices.size() == 0)
    detail::fail(errc::invalid, "make_context: ASPEN_DEVICE_SELECTOR admits none of the context's devices");
  const aspen_device_t *const first = devices.begin()->aspen_handle();
  return context(devices, handler, detail::keep_native(first, ASPEN_NATIVE_CONTEXT, detail::number_of(handle)));
}
/// Its commands begin when all is over that was put into the native queue before, if that keeps its order; the native queue does not wait for
/// them.
template <backend Backend>
queue make_queue(const backend_input_t<Backend, queue> &handle, const context &in, const async_handler &handler = {}) {
  const aspen_device_t *const first = detail::made_in<Backend>(in);
  aspen_native_queue_t facts = {};
  detail::check(aspen_native_queue(first, detail::number_of(handle), &facts));
  detail::same_context(in, facts.context, "make_queue: the queue is of another context");
  for (const device &d : in.aspen_state().devices)
    if (detail::device_native(d.aspen_handle(), ASPEN_NATIVE_DEVICE, false) == facts.device) {
      using ordered = property::queue::in_order;
      using timed = property::queue::enable_profiling;
      const property_list properties = facts.in_order && facts.profiling ? property_list{ordered(), timed()}
                                       : facts.in_order                  ? property_list{ordered()}
                                       : facts.profiling                 ? property_list{timed()}
                                                                         : property_list{};
      return queue(new detail::queue_state(in, d, handler, properties, detail::number_of(handle)));
    }
  detail::fail(errc::invalid, "make_queue: the queue's device is not part of the context");
}
/// Complete when all of the native events are.
template <backend Backend> event make_event(const backend_input_t<Backend, event> &handles, const context &in) {
  const aspen_device_t *const on = detail::made_in<Backend>(in);
  const detail::list<std::uintptr_t> numbers = detail::numbers_of(handles);
  aspen_event_t *made = nullptr;
  detail::check(aspen_event_of_native(on, numbers.data(), numbers.size(), &made));
  detail::shared<event::natives> natives(new event::natives(Backend));
  const event out(made, natives);
  for (std::uintptr_t number : numbers)
    natives->all.add(detail::keep_native(on, ASPEN_NATIVE_EVENT, number));
  return out;
}
/// Has the memory's content, which is there when `available` is complete, and gives it back when the last copy of the buffer goes, as to
/// memory of the host.
template <backend Backend, class T, int D = 1, class A = buffer_allocator<std::remove_const_t<T>>>
buffer<T, D, A> make_buffer(const backend_input_t<Backend, buffer<T, D, A>> &handle, const context &in, event available = {}) {
  static_assert(D == 1, "make_buffer makes buffers of one dimension");
  const aspen_device_t *const on = detail::made_in<Backend>(in);
  auto *const settle = new detail::final_data_native;
  settle->device = on;
  settle->context = in.aspen_state().native_handle();
  size_t bytes = 0;
  aspen_error_t *const error = aspen_buffer_of_native(on, settle->context, detail::number_of(handle), available.aspen_handle(), &bytes, &settle->buffer);
  if (error)
    delete settle;
  detail::check(error);
  return buffer<T, D, A>(new detail::buffer_state(settle->buffer, settle), range<1>(bytes / sizeof(T)));
}
template <backend Backend> kernel make_kernel(const backend_input_t<Backend, kernel> &handle, const context &in) {
  const aspen_device_t *const on = detail::made_in<Backend>(in);
  aspen_native_kernel_t facts = {};
  detail::check(aspen_native_kernel(on, detail::number_of(handle), &facts));
  detail::same_context(in, facts.context, "make_kernel: the kernel is of another context");
  detail::list<std::uintptr_t> program;
  program.add(facts.program);
  const auto bundle = detail::bundle_of<bundle_state::executable>(in, in.aspen_state().devices, program, errc::invalid);
  return kernel(detail::keep_native(on, ASPEN_NATIVE_KERNEL, detail::number_of(handle)), in, bundle.aspen_contents());
}
template <backend Backend, bundle_state State>
kernel_bundle<State> make_kernel_bundle(const backend_input_t<Backend, kernel_bundle<State>> &handle, const context &in) {
  detail::made_in<Backend>(in);
  return detail::bundle_of<State>(in, in.aspen_state().devices, detail::numbers_of(handle), errc::invalid);
}

template <backend Backend> backend_return_t<Backend, queue> interop_handle::get_native_queue() const {
  own<Backend>();
  return detail::given_as<backend_return_t<Backend, queue>>(detail::queue_native(queue_, ASPEN_NATIVE_QUEUE, false));
}
template <backend Backend> backend_return_t<Backend, device> interop_handle::get_native_device() const {
  own<Backend>();
  return detail::given_as<backend_return_t<Backend, device>>(detail::device_native(device_, ASPEN_NATIVE_DEVICE, false));
}
template <backend Backend> backend_return_t<Backend, context> interop_handle::get_native_context() const {
  own<Backend>();
  return detail::given_as<backend_return_t<Backend, context>>(detail::queue_native(queue_, ASPEN_NATIVE_CONTEXT, false));
}
template <backend Backend> void interop_handle::own() const {
  if (get_backend() != Backend)
    detail::wrong_backend();
}
template <backend Backend, class T, int D, access_mode M, access::placeholder H>
typename detail::native_memory<Backend, T>::type interop_handle::get_native_mem(const accessor<T, D, M, target::device, H> &of) const {
  own<Backend>();
  aspen_buffer_t *const memory = of.aspen_buffer()->handle;
  if constexpr (Backend == backend::opencl) {
    std::uintptr_t out = 0;
    detail::check(aspen_buffer_native_on(memory, queue_, &out));
    if (!out)
      detail::fail(errc::invalid, "get_native_mem: the command group does not require this accessor");
    return {reinterpret_cast<_cl_mem *>(out)};
  } else {
    void *out = nullptr;
    detail::check(aspen_buffer_address(memory, device_, &out));
    return static_cast<std::remove_const_t<T> *>(out);
  }
}

/// What OpenCL's backend has beside all that. Source: SYCL 2020 §C.6.
namespace opencl {

inline bool has_extension(const platform &of, const std::string &name) {
  if (of.get_backend() != backend::opencl)
    detail::wrong_backend();
  return detail::has_word(aspen_platform_string(of.aspen_handle(), ASPEN_PLATFORM_EXTENSIONS), name);
}
inline bool has_extension(const device &of, const std::string &name) {
  if (of.get_backend() != backend::opencl)
    detail::wrong_backend();
  return detail::has_word(aspen_device_string(of.aspen_handle(), ASPEN_DEVICE_EXTENSIONS), name);
}

template <class Handle> std::uint32_t get_reference_count(Handle of) {
  constexpr aspen_native_t what = std::is_same_v<Handle, _cl_device_id *>       ? ASPEN_NATIVE_DEVICE
                                  : std::is_same_v<Handle, _cl_context *>       ? ASPEN_NATIVE_CONTEXT
                                  : std::is_same_v<Handle, _cl_command_queue *> ? ASPEN_NATIVE_QUEUE
                                  : std::is_same_v<Handle, _cl_event *>         ? ASPEN_NATIVE_EVENT
                                  : std::is_same_v<Handle, _cl_mem *>           ? ASPEN_NATIVE_MEMORY
                                  : std::is_same_v<Handle, _cl_program *>       ? ASPEN_NATIVE_PROGRAM
                                  : std::is_same_v<Handle, _cl_kernel *>        ? ASPEN_NATIVE_KERNEL
                                                                                : ASPEN_NATIVE_PLATFORM;
  static_assert(what != ASPEN_NATIVE_PLATFORM, "OpenCL counts no references of such a handle");
  for (const platform &p : platform::get_platforms())
    if (p.get_backend() == backend::opencl) {
      std::uint32_t out = 0;
      detail::check(aspen_native_references(p.get_devices()[0].aspen_handle(), what, detail::number_of(of), &out));
      return out;
    }
  detail::fail(errc::invalid, "get_reference_count: there is no platform of OpenCL");
}

/// The error of OpenCL that the exception comes from; 0 (CL_SUCCESS) if it comes from none.
inline int get_error_code(const exception &of) { return of.aspen_native(); }

template <bundle_state State>
kernel_bundle<State> create_bundle(const context &in, const std::vector<device> &devices, const std::vector<_cl_program *> &programs) {
  detail::made_in<backend::opencl>(in);
  detail::check_bundle_devices(in, devices.data(), devices.size());
  return detail::bundle_of<State>(in, detail::list<device>(devices.data(), devices.size()), detail::numbers_of(programs), errc::build);
}
inline kernel_bundle<bundle_state::executable> create_bundle(const context &in, const std::vector<device> &devices,
                                                             const std::vector<_cl_kernel *> &kernels) {
  const aspen_device_t *const on = detail::made_in<backend::opencl>(in);
  detail::check_bundle_devices(in, devices.data(), devices.size());
  detail::list<std::uintptr_t> programs;
  for (_cl_kernel *kernel : kernels) {
    aspen_native_kernel_t facts = {};
    detail::check(aspen_native_kernel(on, detail::number_of(kernel), &facts));
    bool again = false;
    for (std::uintptr_t known : programs)
      again = again || known == facts.program;
    if (!again)
      programs.add(facts.program);
  }
  return detail::bundle_of<bundle_state::executable>(in, detail::list<device>(devices.data(), devices.size()), programs, errc::build);
}

} // namespace opencl
} // namespace sycl
