//! Lines of code and what they use: knowledge of C++ and of clang, not of Aspen.
//!
//! In a line, `$` is a number of its own, `x` a `float` and `p` a `float *`. `kept`: whether a `double` of the line is still there after
//! optimisation, alone or among others; of those without a double it says nothing.

use super::ast::{Aspects, Ty};

/// What is left of a line's doubles after optimisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    Yes,
    No,
    /// It depends on what stands around.
    Perhaps,
}
use Kept::{No, Perhaps, Yes};

pub struct Snippet {
    pub text: &'static str,
    pub aspects: &'static [&'static str],
    pub kept: Kept,
}

const fn snippet(text: &'static str, aspects: &'static [&'static str], kept: Kept) -> Snippet {
    Snippet { text, aspects, kept }
}

const F64: &[&str] = &["fp64"];
const F16: &[&str] = &["fp16"];
const A64: &[&str] = &["atomic64"];
const NONE: &[&str] = &[];

/// `atomic_ref` is short for one of device scope, relaxed.
pub const SNIPPETS: &[Snippet] = &[
    // Arithmetic: a literal without `f` makes all of it double.
    snippet("x = float(x * 0.1);", F64, Yes),
    snippet("x = float(x * 0.1 + 0.3);", F64, Yes),
    snippet("x = float(x * 1.5);", F64, No),
    snippet("x = float(x + 0.5);", F64, No),
    snippet("double d$ = x; d$ = d$ * d$ + 0.1; x = float(d$);", F64, Yes),
    snippet("if (x > 0.1) x -= 1.0f;", F64, Perhaps),
    snippet("x = x > 2.0f ? 0.5 : 1.5;", F64, No),
    snippet("x += float(double(int(p[2])) / 3.0);", F64, Yes),
    snippet("x += int(p[1]) + 0.5;", F64, Perhaps),
    snippet("for (int i = 0; i < int(p[2]) + 2; ++i) x = float(x * 0.9);", F64, Yes),
    snippet("switch (int(p[1])) { case 0: x += 1.0f; break; case 7: x = float(x / 3.0); break; default: x -= 1.0f; }", F64, No),
    snippet("x = float(sycl::floor(x + 0.1));", F64, Yes),
    snippet("x = float(sycl::fabs(double(x)));", F64, Perhaps),
    snippet("const double d$ = 0.7; x += float(d$);", F64, No),
    snippet("volatile double d$ = 0.7; x += float(d$);", F64, Yes),
    // Memory.
    snippet("reinterpret_cast<double *>(p)[20] = x;", F64, Yes),
    snippet("x += float(reinterpret_cast<const double *>(p)[21]);", F64, Yes),
    snippet("*reinterpret_cast<volatile double *>(p + 40) = 1.0;", F64, Yes),
    snippet("x += float(table[int(p[1]) & 1]);", F64, Yes),
    // Doubles that never are.
    snippet("float c$ = 1.0; x += c$;", NONE, No),
    snippet("x *= float(constant);", NONE, No),
    snippet("x += float(sizeof(double)) + float(alignof(sycl::half));", NONE, No),
    snippet("using D$ = decltype(1.0 * 2); x += float(sizeof(D$));", NONE, No),
    snippet("double *q$ = nullptr; if (q$ == nullptr) x += 1.0f;", NONE, No),
    snippet("if (false) { double z = x; x = float(z * 0.1); }", NONE, No),
    snippet("if constexpr (sizeof(float) == 8) { double z = x; x = float(z * 0.1); }", NONE, No),
    snippet("enum { e$ = int(2.5 * 2) }; x += float(e$);", NONE, No),
    snippet("static_assert(0.1 + 0.2 > 0.3); x += 1.0f;", NONE, No),
    snippet("x += p[int(1.7)];", NONE, No),
    snippet("x += float(noexcept(double(x) * 0.1));", NONE, No),
    // A variable all the same.
    snippet("constexpr double d$ = 0.25; x += float(d$ * 4);", F64, No),
    snippet("constexpr float f$[] = {0.1, 0.2}; x += f$[int(p[1]) & 1];", NONE, No),
    snippet("if (p[3] < -1e30f) { x = float(x * 0.1); }", F64, Yes),
    // half
    snippet("sycl::half h$ = x; h$ = h$ * h$; x += float(h$);", F16, No),
    snippet("reinterpret_cast<sycl::half *>(p)[90] = sycl::half(x);", F16, No),
    snippet("x = float(sycl::fabs(sycl::half(x)));", F16, No),
    snippet("sycl::half *q$ = nullptr; if (q$ == nullptr) x += 2.0f;", NONE, No),
    // Atomics.
    snippet("atomic_ref<long long>(reinterpret_cast<long long *>(p)[24]).fetch_add(1);", A64, No),
    snippet("x += float(atomic_ref<unsigned long>(reinterpret_cast<unsigned long *>(p)[25]).load());", A64, No),
    snippet("atomic_ref<double>(reinterpret_cast<double *>(p)[26]).store(x);", &["atomic64", "fp64"], Yes),
    snippet("atomic_ref<int>(reinterpret_cast<int *>(p)[56]).fetch_add(1);", NONE, No),
    snippet("atomic_ref<float>(p[57]).store(x);", NONE, No),
    // Library types.
    snippet("sycl::vec<double, 2> w$(1.0, 2.0); x += float(w$[int(p[1]) & 1]);", F64, Perhaps),
    snippet("sycl::vec<float, 4> w$(x, 2.0f, 3.0f, 4.0f); x += w$[int(p[1]) & 1];", NONE, No),
    snippet("sycl::vec<sycl::half, 2> w$(sycl::half(1.0f), sycl::half(2.0f)); x += float(w$[int(p[1]) & 1]);", F16, No),
    snippet("std::array<double, 2> a${{1.0, 2.0}}; x += float(a$[int(p[1]) & 1]);", F64, Perhaps),
    snippet("std::array<float, 2> a${{1.0f, 2.0f}}; x += a$[int(p[1]) & 1];", NONE, No),
    snippet("std::pair<float, double> a${1.0f, 2.0}; x += a$.first;", F64, No),
    snippet("x += sum(1.5, x, 2);", F64, Perhaps),
    snippet("x += sum(x, 2, 3u);", NONE, No),
    // Lambdas.
    snippet("auto g$ = [](auto v) { return v * v; }; x += float(g$(1.5)) + g$(x);", F64, Perhaps),
    snippet("auto g$ = [&](float y) { return float(y * 0.1); }; x = g$(x);", F64, Yes),
    snippet("auto g$ = [=](float y) { sycl::half h = y; return float(h); }; x = g$(x);", F16, No),
    snippet("auto g$ = [](auto v) { return v + v; }; x += g$(x);", NONE, No),
    // Nothing.
    snippet("x += 1.0f;", NONE, No),
    snippet("x = x * 0.5f;", NONE, No),
    snippet("x -= p[1];", NONE, No),
    snippet("if (x > 3.0f) x = 3.0f;", NONE, No),
    snippet("for (int i = 0; i < 3; ++i) x += p[i];", NONE, No),
    snippet("long i$ = long(x); x += float(i$ % 7);", NONE, No),
    snippet("x = sycl::fmin(sycl::fabs(x), 50.0f);", NONE, No),
];

/// Ways to use a type: text with `@` for its name, and whether it uses the type. Structs have an `a`.
pub const TYPES: &[(&str, bool)] = &[
    ("@ s${}; s$.a = int(p[1]); x += float(s$.a);", true),
    ("@ s$[2] = {}; s$[1].a = 2; x += float(s$[int(p[1]) & 1].a);", true),
    ("@ s${}; @ t$ = s$; x += float(t$.a);", true),
    ("x += float(reinterpret_cast<const @ *>(p)[1].a != 77);", true),
    ("auto g$ = [](const auto &s) { return float(s.a); }; x += g$(@{});", true),
    ("x += float(sizeof(@)) + float(alignof(@));", false),
    ("@ *q$ = nullptr; if (q$ == nullptr) x += 3.0f;", false),
    ("static_assert(std::is_class_v<@> || std::is_union_v<@>); x += 1.0f;", false),
];

/// Whether a line uses a template's parameter that is this type.
type UsesParameter = fn(&Ty) -> bool;

/// What a template does with its parameter, and whether it uses the type given.
pub const GENERIC: &[(&str, UsesParameter)] = &[
    ("T v$ = T(x); v$ = v$ * v$; x += float(v$);", |_| true),
    ("x += float(plus_one(T(x)));", |_| true),
    ("if constexpr (sizeof(T) == 8) { T v$ = T(x); x = float(v$ * T(0.1)); } else { x += float(sizeof(T)); }", |ty| *ty == Ty::Double),
    ("if constexpr (std::is_same_v<T, sycl::half>) { T v$ = T(x); x += float(v$); } else { x -= 1.0f; }", |ty| *ty == Ty::Half),
    ("T *q$ = nullptr; if (q$ == nullptr) x += float(sizeof(T));", |_| false),
    ("std::array<T, 2> a${}; a$[int(p[1]) & 1] = T(x); x += float(a$[0]);", |_| true),
];

pub fn aspects(of: &[&'static str]) -> Aspects {
    of.iter().copied().collect()
}
