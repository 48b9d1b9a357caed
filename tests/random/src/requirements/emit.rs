//! Programs as C++: a header with types and what units take from each other, and the units. Notes on which line which attribute stands.

use std::collections::BTreeMap;

use super::ast::{Aspects, Call, Form, Function, Kernel, Launch, Program, Shape, Signature, Stmt, Ty};
use super::snippets::{GENERIC, SNIPPETS, TYPES};

/// A function or a kernel of a program, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Entity {
    Function(usize),
    Kernel(usize),
}

/// A file's text, and the attributes in it: by line, whose they are.
#[derive(Default)]
pub struct File {
    pub name: String,
    pub text: String,
    lines: u64,
    /// Line, the program's place among those written, and the entity.
    pub attributes: BTreeMap<u64, (usize, Entity)>,
    /// From where to where the entities' text goes, with a name by whose attribute it is.
    pub ranges: BTreeMap<(usize, Entity), (u64, u64)>,
}

impl File {
    fn line(&mut self, text: &str) -> u64 {
        self.text += text;
        self.text.push('\n');
        self.lines += 1;
        self.lines
    }
}

const CLAMP: &str = "  return x > 100.0f ? 1.0f : x < -100.0f ? -1.0f : x;";

const COMMON: &str = "#pragma once
#include <sycl/sycl.hpp>
#include <array>
#include <type_traits>
#include <utility>
using sycl::aspect;
template <class T> using atomic_ref = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device>;
constexpr double constant = 2.5;
constexpr double table[2] = {0.5, 1.25};
template <class... T> static inline float sum(T... v) { return (float(v) + ...); }
template <class T> inline T plus_one(T v) { return v + T(1); }
";

/// All files of programs that are compiled together, units after the header.
pub fn files(programs: &[&Program]) -> Vec<File> {
    let units = programs.iter().map(|program| program.units).max().unwrap_or(1);
    let file = |name: String| File { name, ..File::default() };
    let mut files = vec![file("types.hpp".into())];
    files.extend((0..units).map(|unit| file(format!("unit{unit}.cpp"))));
    COMMON.lines().for_each(|line| _ = files[0].line(line));
    for unit in &mut files[1..] {
        unit.line("#include \"types.hpp\"");
    }
    for (number, program) in programs.iter().enumerate() {
        let space = format!("namespace q{} {{", program.seed);
        Writer { program, number, file: &mut files[0], fresh: 0 }.header(&space);
        for unit in 0..program.units {
            Writer { program, number, file: &mut files[unit + 1], fresh: 0 }.unit(&space, unit);
        }
    }
    let main = &mut files[1];
    main.line("int main() {");
    main.line("  sycl::queue q;");
    for program in programs {
        for kernel in 0..program.kernels.len() {
            main.line(&format!("  q{}::launch{kernel}(q, nullptr);", program.seed));
        }
    }
    main.line("}");
    files
}

struct Writer<'w> {
    program: &'w Program,
    number: usize,
    file: &'w mut File,
    fresh: usize,
}

pub fn listed(aspects: &Aspects) -> String {
    aspects.iter().map(|aspect| format!("aspect::{aspect}")).collect::<Vec<_>>().join(", ")
}

fn attribute(declared: Option<&Aspects>) -> String {
    declared.map_or(String::new(), |declared| format!("[[sycl::device_has({})]] ", listed(declared)))
}

/// A type's name.
fn name(ty: &Ty) -> String {
    match ty {
        Ty::Int => "int".into(),
        Ty::Float => "float".into(),
        Ty::Double => "double".into(),
        Ty::Half => "sycl::half".into(),
        Ty::Pointer(of) => format!("{} *", name(of)),
        Ty::Array(of, _) => name(of),
        Ty::Vector(of, count) => format!("sycl::vec<{}, {count}>", name(of)),
        Ty::StdArray(of, count) => format!("std::array<{}, {count}>", name(of)),
        Ty::Pair(a, b) => format!("std::pair<{}, {}>", name(a), name(b)),
        Ty::Named(index) => format!("T{index}"),
    }
}

fn member(ty: &Ty, name_of: &str) -> String {
    match ty {
        Ty::Array(of, count) => format!("{} {name_of}[{count}];", name(of)),
        _ => format!("{} {name_of};", name(ty)),
    }
}

/// Looks into a value that `value` names.
fn look(ty: &Ty, value: &str) -> String {
    match ty {
        Ty::Named(_) => format!("x += float({value}.a);"),
        Ty::Pair(..) => format!("x += float({value}.first);"),
        Ty::Vector(..) | Ty::StdArray(..) => format!("x += float({value}[0]);"),
        _ => format!("x += float({value});"),
    }
}

impl Writer<'_> {
    fn header(&mut self, space: &str) {
        self.file.line(&format!("{space} // seed {}", self.program.seed));
        for index in 0..self.program.types.len() {
            self.type_def(index);
        }
        if self.program.units > 1 {
            for (index, function) in self.program.functions.iter().enumerate() {
                if let Shape::External(_) = function.shape {
                    let text = format!("{}SYCL_EXTERNAL float fn{index}(float x, float *p);", attribute(function.declared.as_ref()));
                    self.head(&text, function.declared.is_some(), Entity::Function(index));
                }
            }
        }
        self.file.line("}");
    }

    fn type_def(&mut self, index: usize) {
        let of = &self.program.types[index];
        let marks =
            if of.marks.is_empty() { String::new() } else { format!("[[__sycl_detail__::__uses_aspects__({})]] ", listed(&of.marks)) };
        let bases: Vec<String> = of.bases.iter().map(|base| format!("T{base}")).collect();
        let bases = if bases.is_empty() { String::new() } else { format!(" : {}", bases.join(", ")) };
        let members: String = of.members.iter().enumerate().map(|(at, ty)| format!("{} ", member(ty, &format!("m{at}")))).collect();
        match of.form {
            Form::Struct => self.file.line(&format!("struct {marks}T{index}{bases} {{ int a; {members}}};")),
            Form::Union => self.file.line(&format!("union {marks}T{index} {{ int a; {members}}};")),
            Form::Empty => self.file.line(&format!("struct {marks}T{index}{bases} {{}};")),
            Form::Partial => {
                self.file.line(&format!("template <class T, int N> struct P{index} {{ T a; }};"));
                self.file.line(&format!("template <class T> struct {marks}P{index}<T, 8> {{ T a; {members}}};"));
                self.file.line(&format!("using T{index} = P{index}<int, 8>;"))
            }
            Form::Dependent => {
                self.file
                    .line(&format!("template <aspect A> struct [[__sycl_detail__::__uses_aspects__(A)]] P{index} {{ int a; {members}}};"));
                self.file.line(&format!("using T{index} = P{index}<{}>;", listed(&of.marks)))
            }
            Form::Box => {
                let last = of.members.last().map_or("int".into(), name);
                let count = of.members.len().saturating_sub(1);
                let members: String =
                    of.members[..count].iter().enumerate().map(|(at, ty)| format!("{} ", member(ty, &format!("m{at}")))).collect();
                self.file.line(&format!("template <class T> struct {marks}P{index} {{ int a; {members}T last; }};"));
                self.file.line(&format!("using T{index} = P{index}<{last}>;"))
            }
        };
    }

    /// A line; if there is an attribute on it, it is the entity's.
    fn head(&mut self, text: &str, attributed: bool, entity: Entity) {
        let line = self.file.line(text);
        if attributed {
            self.file.attributes.insert(line, (self.number, entity));
        }
    }

    fn unit(&mut self, space: &str, unit: usize) {
        self.file.line(space);
        for (index, function) in self.program.functions.iter().enumerate() {
            if called_before(function) {
                self.file.line(&format!("{}float fn{index}(float x, float *p);", prefix(function)));
            }
        }
        for (index, function) in self.program.functions.iter().enumerate() {
            let home = self.program.home(index).unwrap_or(0);
            if home == unit && !matches!(function.shape, Shape::Lambda) {
                self.function(index, function);
            }
        }
        for (index, kernel) in self.program.kernels.iter().enumerate() {
            if kernel.unit == unit {
                self.kernel(index, kernel);
            } else if unit == 0 {
                self.file.line(&format!("void launch{index}(sycl::queue &q, float *p);"));
            }
        }
        self.file.line("}");
    }

    fn function(&mut self, index: usize, function: &Function) {
        let entity = Entity::Function(index);
        let first = self.file.lines + 1;
        let declared = attribute(function.declared.as_ref());
        let marks = if function.marks.is_empty() {
            String::new()
        } else {
            format!("[[__sycl_detail__::__uses_aspects__({})]] ", listed(&function.marks))
        };
        let (result, parameters) = signature(&function.signature);
        let rest = format!("{result} fn{index}({parameters})");
        let has = function.declared.is_some();
        match &function.shape {
            Shape::Free { prefix, space, declared_before } => {
                if let Some(space) = space {
                    self.file.line(&format!("namespace {space} {{"));
                }
                if *declared_before && has && !matches!(function.signature, Signature::Default) {
                    self.head(&format!("{declared}{prefix}{rest};"), true, entity);
                    self.file.line(&format!("{marks}{prefix}{rest} {{"));
                } else {
                    self.head(&format!("{declared}{marks}{prefix}{rest} {{"), has, entity);
                }
            }
            Shape::Template => self.head(&format!("template <class T> {declared}{marks}inline {rest} {{"), has, entity),
            Shape::AspectTemplate => {
                self.head(&format!("template <class T, aspect A> [[sycl::device_has(A)]] {marks}static {rest} {{"), true, entity);
            }
            Shape::Countdown => {
                self.head(&format!("template <int N> {declared}inline {rest} {{"), has, entity);
                self.file.line(&format!("  if constexpr (N > 0) return fn{index}<N - 1>(x, p) + 1.0f; else {{"));
            }
            Shape::Member { of, is_static } => {
                self.file.line(&format!("struct C{index} {{ float v; {}", member(of, "m")));
                let (before, after) = if *is_static { ("static ", "") } else { ("", " const") };
                self.head(&format!("{declared}{marks}{before}{rest}{after} {{"), has, entity);
                if !is_static {
                    self.file.line("  x += v;");
                }
            }
            Shape::External(_) => self.head(&format!("{declared}{marks}SYCL_EXTERNAL {rest} {{"), has, entity),
            Shape::Lambda => {}
        }
        self.inside(&function.body, &function.signature);
        match &function.shape {
            Shape::Countdown => _ = self.file.line("  } }"),
            Shape::Member { .. } => _ = self.file.line("} };"),
            Shape::Free { space: Some(_), .. } => _ = self.file.line("} }"),
            _ => _ = self.file.line("}"),
        }
        self.file.ranges.insert((self.number, entity), (first, self.file.lines));
    }

    /// The statements of a function, what it does with what it is given, and its end.
    fn inside(&mut self, body: &[Stmt], signature: &Signature) {
        match signature {
            Signature::Value(ty, true) | Signature::Reference(ty, true) => _ = self.file.line(&format!("  {}", look(ty, "s"))),
            Signature::Pointer(ty, true) => _ = self.file.line(&format!("  if (s) {}", look(ty, "(*s)"))),
            Signature::Default => _ = self.file.line("  x += float(d);"),
            _ => {}
        }
        self.body(body);
        match signature {
            Signature::Returns(ty @ Ty::Named(_)) => _ = self.file.line(&format!("  {} r{{}}; r.a = int(x > 1.0f); return r;", name(ty))),
            Signature::Returns(ty @ (Ty::Double | Ty::Half)) => _ = self.file.line(&format!("  return {}(x);", name(ty))),
            // What the body computed must be seen somewhere, else all of it is dead code.
            Signature::Returns(ty) => _ = self.file.line(&format!("  p[0] = x; return {}{{}};", name(ty))),
            _ => _ = self.file.line(CLAMP),
        }
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.fresh += 1;
            let number = self.fresh.to_string();
            let text = match stmt {
                Stmt::Snippet(index) => SNIPPETS[*index].text.replace('$', &number),
                Stmt::Guarded(index) => {
                    let snippet = &SNIPPETS[*index];
                    let guard = listed(&super::snippets::aspects(snippet.aspects));
                    let text = snippet.text.replace('$', &number);
                    format!("sycl::ext::oneapi::experimental::if_device_has<{guard}>([&] {{ {text} }});")
                }
                Stmt::Recursion(function) => format!("if (p[60] > 1e30f) x = fn{function}(x, p);"),
                Stmt::Type(way, ty) => TYPES[*way].0.replace('$', &number).replace('@', &name(ty)),
                Stmt::Generic(way) => GENERIC[*way].0.replace('$', &number),
                Stmt::Call(call) => {
                    let callee = &self.program.functions[call.function];
                    if matches!(callee.shape, Shape::Lambda) {
                        self.lambda(call.function, callee, &number);
                        format!("x = l{number}(x, p);")
                    } else {
                        self.call(call, callee)
                    }
                }
            };
            self.file.line(&format!("  {text}"));
        }
    }

    fn lambda(&mut self, index: usize, function: &Function, number: &str) {
        let declared = attribute(function.declared.as_ref());
        let first = self.file.lines + 1;
        let head = format!("  auto l{number} = [=](float x, float *p) {declared}{{");
        self.head(&head, function.declared.is_some(), Entity::Function(index));
        self.inside(&function.body, &function.signature);
        let last = self.file.line("  };");
        self.file.ranges.insert((self.number, Entity::Function(index)), (first, last));
    }

    fn call(&self, call: &Call, callee: &Function) -> String {
        let index = call.function;
        let name_of = match &callee.shape {
            Shape::Free { space: Some(space), .. } if !space.is_empty() => format!("{space}::fn{index}"),
            Shape::Template => format!("fn{index}<{}>", call.ty.as_ref().map_or("int".into(), name)),
            Shape::AspectTemplate => {
                let ty = call.ty.as_ref().map_or("int".into(), name);
                format!("fn{index}<{ty}, aspect::{}>", call.aspect.unwrap_or("cpu"))
            }
            Shape::Countdown => format!("fn{index}<{}>", call.depth),
            Shape::Member { is_static: true, .. } => format!("C{index}::fn{index}"),
            Shape::Member { .. } => format!("o.fn{index}"),
            _ => format!("fn{index}"),
        };
        let text = match &callee.signature {
            Signature::Plain | Signature::Default => format!("x = {name_of}(x, p);"),
            Signature::Value(Ty::Double, _) => format!("x = {name_of}(0.5, x, p);"),
            Signature::Value(ty @ Ty::Half, _) => format!("x = {name_of}({}(x), x, p);", name(ty)),
            Signature::Value(ty, _) => format!("x = {name_of}({}{{}}, x, p);", name(ty)),
            Signature::Reference(ty, _) => format!("{{ {} r{{}}; x = {name_of}(r, x, p); }}", name(ty)),
            Signature::Pointer(..) => format!("x = {name_of}(nullptr, x, p);"),
            Signature::Returns(ty) => format!("{{ auto r = {name_of}(x, p); {} }}", look(ty, "r")),
        };
        match callee.shape {
            Shape::Member { is_static: false, .. } => format!("{{ C{index} o{{}}; o.v = x; {text} }}"),
            _ => text,
        }
    }

    fn kernel(&mut self, index: usize, kernel: &Kernel) {
        let entity = Entity::Kernel(index);
        let mut attributes = Vec::new();
        if let Some(size) = kernel.sub_group {
            attributes.push(format!("sycl::reqd_sub_group_size({size})"));
        }
        if let Some(declared) = &kernel.declared {
            attributes.push(format!("sycl::device_has({})", listed(declared)));
        }
        if let Some(sizes) = &kernel.work_group {
            attributes.push(format!("sycl::reqd_work_group_size({})", sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")));
        }
        let attributes = if attributes.is_empty() {
            String::new()
        } else if index.is_multiple_of(2) {
            format!("[[{}]] ", attributes.join(", "))
        } else {
            attributes.iter().map(|attribute| format!("[[{attribute}]] ")).collect()
        };
        let (parameter, launch, guard) = match kernel.launch {
            Launch::SingleTask => (String::new(), format!("q.single_task<class K{index}>("), ""),
            Launch::Range(d) => {
                let sizes = vec!["2"; d].join(", ");
                let launch = format!("q.parallel_for<class K{index}>(sycl::range<{d}>({sizes}), ");
                (format!("sycl::item<{d}> it"), launch, "  if (it.get_linear_id() != 0) return;")
            }
            Launch::NdRange(d) => {
                let sizes = kernel.work_group.clone().unwrap_or_else(|| vec![4; d]);
                let sizes = sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
                let range = format!("sycl::nd_range<{d}>(sycl::range<{d}>({sizes}), sycl::range<{d}>({sizes}))");
                let launch = format!("q.parallel_for<class K{index}>({range}, ");
                (format!("sycl::nd_item<{d}> it"), launch, "  if (it.get_global_linear_id() != 0) return;")
            }
        };
        let held = kernel.captured.as_ref().map(|ty| member(ty, "held")).unwrap_or_default();
        let first = self.file.line(&format!("class K{index};"));
        if kernel.functor {
            self.file.line(&format!("struct F{index} {{ float *p; {held}"));
            self.head(&format!("{attributes}void operator()({parameter}) const {{"), kernel.declared.is_some(), entity);
            self.kernel_body(kernel, guard);
            self.file.line("} };");
            self.file.line(&format!("void launch{index}(sycl::queue &q, float *p) {{ F{index} f{{}}; f.p = p; {launch}f); }}"));
        } else {
            self.file.line(&format!("void launch{index}(sycl::queue &q, float *p) {{"));
            if let Some(ty) = &kernel.captured {
                self.file.line(&format!("  {} held{{}};", name(ty)));
            }
            self.head(&format!("  {launch}[=]({parameter}) {attributes}{{"), kernel.declared.is_some(), entity);
            self.kernel_body(kernel, guard);
            self.file.line("  }); }");
        }
        self.file.ranges.insert((self.number, entity), (first, self.file.lines));
    }

    fn kernel_body(&mut self, kernel: &Kernel, guard: &str) {
        if !guard.is_empty() {
            self.file.line(guard);
        }
        self.file.line("  float x = p[4];");
        if kernel.captured.is_some() {
            self.file.line("  x += float(held.a);");
        }
        self.body(&kernel.body);
        self.file.line("  p[16] = x;");
    }
}

fn signature(of: &Signature) -> (String, String) {
    let plain = "float x, float *p";
    match of {
        Signature::Plain => ("float".into(), plain.into()),
        Signature::Default => ("float".into(), format!("{plain}, double d = 0.25")),
        Signature::Value(ty, _) => ("float".into(), format!("{} s, {plain}", name(ty))),
        Signature::Reference(ty, _) => ("float".into(), format!("const {} &s, {plain}", name(ty))),
        Signature::Pointer(ty, _) => ("float".into(), format!("const {} *s, {plain}", name(ty))),
        Signature::Returns(ty) => (name(ty), plain.into()),
    }
}

/// Whether a function may be called before it is written: those that may call each other in a circle.
pub fn called_before(function: &Function) -> bool {
    matches!(function.shape, Shape::Free { space: None, declared_before: false, .. })
        && matches!(function.signature, Signature::Plain)
        && function.marks.is_empty()
}

fn prefix(function: &Function) -> &'static str {
    if let Shape::Free { prefix, .. } = function.shape { prefix } else { "" }
}
