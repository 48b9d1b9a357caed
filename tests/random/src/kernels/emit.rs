//! Statements, functions and kernels as C++.

use std::fmt::Write as _;

use super::ast::{Argument, Collective, Expr, Function, Kernel, Kind, Launch, Linkage, Op, Scope, Shuffle, Stmt, Type, Vector, Vote};
use super::cpp::{self, Within, declaration, functor, literal, scalar, ty};
use super::interpret::Outcome;

/// What writing to a string gives: it never fails.
const TAKES_ALL: &str = "a string takes all writes";

/// A kernel in a namespace of its own, with what it must give: the first unit's text, and the other's (its external functions).
pub fn kernel(number: usize, kernel: &Kernel, outcome: &Outcome) -> (String, String) {
    let within = Within { kernel, function: None };
    let mut shared = format!("namespace k{number} {{ // seed {}\n", kernel.seed);
    for (index, of) in kernel.structs.iter().enumerate() {
        shared += &cpp::definition(index, of);
    }
    shared += &memory(kernel);
    let (mut here, mut there) = (shared.clone(), String::new());
    for (index, function) in kernel.functions.iter().enumerate() {
        if function.linkage == Linkage::External {
            here += &format!("{};\n", head(kernel, index, function));
        }
    }
    for (index, function) in kernel.functions.iter().enumerate() {
        let into = if function.linkage == Linkage::External { &mut there } else { &mut here };
        *into += &self::function(kernel, index, function);
    }
    if !there.is_empty() {
        let declared: String = (0..kernel.functions.len())
            .filter(|index| kernel.functions[*index].linkage == Linkage::External)
            .map(|index| format!("{};\n", head(kernel, index, &kernel.functions[index])))
            .collect();
        there = format!("{shared}{declared}{there}}}\n");
    }
    here += &launch(number, &within, outcome);
    here += "}\n";
    (here, there)
}

/// What functions that work with the group get from the kernel.
fn memory(kernel: &Kernel) -> String {
    let mut out = String::from("struct Memory { const std::uint8_t *zero; ");
    for (index, region) in kernel.regions.iter().enumerate() {
        let constant = if region.kind == Kind::Input { "const " } else { "" };
        if !matches!(region.kind, Kind::Reduction(_)) {
            write!(out, "{constant}{} *r{index}; ", scalar(region.scalar)).expect(TAKES_ALL);
        }
    }
    for (index, (of, _)) in kernel.arguments.iter().enumerate() {
        write!(out, "{} a{index}; ", scalar(*of)).expect(TAKES_ALL);
    }
    out + "};\n"
}

fn head(kernel: &Kernel, index: usize, function: &Function) -> String {
    let mut parameters: Vec<String> = Vec::new();
    if function.group {
        parameters.push(format!("const sycl::nd_item<{}> &it", kernel.launch.dimensions()));
        parameters.push("const Memory &mem".into());
    }
    for (at, reference) in function.parameters.iter().enumerate() {
        parameters.push(declaration(&function.variables[at].ty, &format!("v{at}"), *reference));
    }
    let linkage = match function.linkage {
        Linkage::NoInline => "__attribute__((noinline)) static ",
        Linkage::Inline => "inline ",
        Linkage::Static => "static ",
        Linkage::External => "SYCL_EXTERNAL ",
    };
    format!("{linkage}{} f{index}({})", ty(&function.variables[function.parameters.len()].ty), parameters.join(", "))
}

fn function(kernel: &Kernel, index: usize, function: &Function) -> String {
    let within = Within { kernel, function: Some(function) };
    let mut out = head(kernel, index, function) + " {\n";
    if function.group {
        out += &ids(kernel);
    }
    out += &declarations(&within, function.parameters.len());
    block(&within, &function.body, 1, &mut out);
    write!(out, "  return v{};\n}}\n", function.parameters.len()).expect(TAKES_ALL);
    out
}

fn declarations(within: &Within<'_>, from: usize) -> String {
    let own = within.variables().iter().enumerate().skip(from).filter(|(_, variable)| !variable.scoped);
    own.map(|(index, variable)| format!("  {}{{}};\n", declaration(&variable.ty, &format!("v{index}"), false))).collect()
}

/// The numbers that say where an item is.
fn ids(kernel: &Kernel) -> String {
    let last = kernel.launch.dimensions() - 1;
    let mut out = String::from("  [[maybe_unused]] const std::uint32_t ");
    match &kernel.launch {
        Launch::NdRange { .. } => {
            writeln!(
                out,
                "id_l = it.get_local_linear_id(), id_n = it.get_local_range().size(), id_w = it.get_group_linear_id(), \
                 id_g = id_w * id_n + id_l, id_x = it.get_local_id({last}), id_y = it.get_group(0), id_o = it.get_global_linear_id();"
            )
            .expect(TAKES_ALL);
            out += "  [[maybe_unused]] const auto grp = it.get_group();\n";
            if kernel.sub_group > 0 {
                out += "  [[maybe_unused]] const auto sg = it.get_sub_group();\n";
            }
        }
        Launch::Range(sizes) => {
            let linear = (1..sizes.len()).fold("it[0]".to_owned(), |sum, at| format!("({sum} * {} + it[{at}])", sizes[at]));
            writeln!(out, "id_l = 0, id_n = 1, id_w = {linear}, id_g = id_w, id_x = it[{last}], id_y = it[0], id_o = id_w;")
                .expect(TAKES_ALL);
        }
        Launch::SingleTask => out += "id_l = 0, id_n = 1, id_w = 0, id_g = 0, id_x = 0, id_y = 0, id_o = 0;\n",
    }
    out
}

fn block(within: &Within<'_>, body: &[Stmt], depth: usize, out: &mut String) {
    for stmt in body {
        self::stmt(within, stmt, depth, out);
    }
}

fn braced(within: &Within<'_>, body: &[Stmt], depth: usize, out: &mut String) {
    *out += "{\n";
    block(within, body, depth + 1, out);
    *out += &"  ".repeat(depth);
    *out += "}";
}

fn stmt(within: &Within<'_>, stmt: &Stmt, depth: usize, out: &mut String) {
    *out += &"  ".repeat(depth);
    let expr = |value: &Expr| within.expr(value);
    match stmt {
        Stmt::Let(variable) => {
            *out += &format!("{}{{}};", declaration(&within.variables()[*variable].ty, &format!("v{variable}"), false));
        }
        Stmt::Assign(place, value) => *out += &format!("{} = {};", within.place(place), expr(value)),
        Stmt::Copy(to, from) => match &within.variables()[*to].ty {
            Type::Array(_, count) => *out += &format!("for (unsigned i = 0; i < {count}; ++i) v{to}[i] = v{from}[i];"),
            _ => *out += &format!("v{to} = v{from};"),
        },
        Stmt::VectorOp(variable, op, by) => {
            let name = ty(&within.variables()[*variable].ty);
            *out += &match op {
                Op::Min | Op::Max => {
                    format!("v{variable} = sycl::{}(v{variable}, {name}({}));", if *op == Op::Min { "min" } else { "max" }, expr(by))
                }
                _ => format!("v{variable} = v{variable} {} {name}({});", sign(*op), expr(by)),
            };
        }
        Stmt::Swizzle(variable, from) => {
            let from: Vec<String> = from.iter().map(usize::to_string).collect();
            let from = from.join(", ");
            *out += &match within.variables()[*variable].ty {
                Type::Vector(Vector::Ext, ..) => format!("v{variable} = __builtin_shufflevector(v{variable}, v{variable}, {from});"),
                _ => format!("v{variable} = v{variable}.template swizzle<{from}>();"),
            };
        }
        Stmt::Store(region, index, value) => *out += &format!("{} = {};", within.memory(*region, index), expr(value)),
        Stmt::Atomic(region, op, index, value) => {
            let of = &within.kernel.regions[*region];
            if let Kind::Reduction(_) = of.kind {
                *out += &format!("r{region}.combine({});", expr(value));
            } else {
                let (scope, space) = if of.kind == Kind::Local { ("work_group", "local") } else { ("device", "global") };
                let name = atomic(*op);
                *out += &format!(
                    "sycl::atomic_ref<{}, sycl::memory_order::relaxed, sycl::memory_scope::{scope}, sycl::access::address_space::{space}_space>({}).{name}({});",
                    scalar(of.scalar),
                    within.memory(*region, index),
                    expr(value)
                );
            }
        }
        Stmt::If(condition, then, otherwise) => {
            *out += &format!("if ({}) ", expr(condition));
            braced(within, then, depth, out);
            if !otherwise.is_empty() {
                *out += " else ";
                braced(within, otherwise, depth, out);
            }
        }
        Stmt::IfDeviceHas(has, then, otherwise) => {
            *out +=
                &format!("sycl::ext::oneapi::experimental::if_device_has<sycl::aspect::{}>([&] ", if *has { "cpu" } else { "accelerator" });
            braced(within, then, depth, out);
            *out += ")";
            if !otherwise.is_empty() {
                *out += ".else_device([&] ";
                braced(within, otherwise, depth, out);
                *out += ")";
            }
            *out += ";";
        }
        Stmt::For { variable, bound, down: false, body } => {
            *out += &format!("for (v{variable} = 0; v{variable} < {}; ++v{variable}) ", expr(bound));
            braced(within, body, depth, out);
        }
        Stmt::For { variable, bound, body, .. } => {
            *out += &format!("v{variable} = {};\n{}while (v{variable}-- > 0) ", expr(bound), "  ".repeat(depth));
            braced(within, body, depth, out);
        }
        Stmt::DoWhile { variable, bound, body, cond } => {
            *out += &format!("v{variable} = {};\n{}do ", expr(bound), "  ".repeat(depth));
            braced(within, body, depth, out);
            *out += &format!(" while (v{variable}-- > 0 && {});", expr(cond));
        }
        Stmt::Switch(value, cases, default) => {
            *out += &format!("switch ({}) {{\n", expr(value));
            for (case, body, falls) in cases {
                *out += &format!("{}case {case}: ", "  ".repeat(depth));
                braced(within, body, depth, out);
                *out += if *falls { " [[fallthrough]];\n" } else { " break;\n" };
            }
            *out += &format!("{}default: ", "  ".repeat(depth));
            braced(within, default, depth, out);
            *out += &format!("\n{}}}", "  ".repeat(depth));
        }
        Stmt::Break => *out += "break;",
        Stmt::Continue => *out += "continue;",
        Stmt::Return => match within.function {
            Some(function) => *out += &format!("return v{};", function.parameters.len()),
            None => *out += &format!("{{ {} return; }}", finish(within.kernel)),
        },
        Stmt::Together(collective) => *out += &together(within, collective),
        Stmt::Call { function, arguments, to } => {
            let callee = &within.kernel.functions[*function];
            let mut given: Vec<String> = Vec::new();
            if callee.group {
                given.extend(["it".into(), "mem".into()]);
            }
            given.extend(arguments.iter().map(|argument| match argument {
                Argument::Value(value) => expr(value),
                Argument::Variable(variable) => format!("v{variable}"),
            }));
            let to = to.map_or(String::new(), |to| format!("v{to} = "));
            *out += &format!("{to}f{function}({});", given.join(", "));
        }
    }
    *out += "\n";
}

fn sign(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::And => "&",
        Op::Or => "|",
        _ => "^",
    }
}

fn atomic(op: Op) -> &'static str {
    match op {
        Op::Add => "fetch_add",
        Op::And => "fetch_and",
        Op::Or => "fetch_or",
        Op::Xor => "fetch_xor",
        Op::Min => "fetch_min",
        _ => "fetch_max",
    }
}

fn together(within: &Within<'_>, collective: &Collective) -> String {
    let group = |scope: &Scope| if *scope == Scope::Group { "grp" } else { "sg" };
    let expr = |value: &Expr| within.expr(value);
    match collective {
        Collective::Barrier(Scope::SubGroup, _) => "sycl::group_barrier(sg);".into(),
        Collective::Barrier(Scope::Group, spelling) => match spelling {
            0 => "sycl::group_barrier(grp);",
            1 => "it.barrier();",
            2 => "it.barrier(sycl::access::fence_space::local_space);",
            3 => "it.barrier(sycl::access::fence_space::global_space);",
            _ => "sycl::group_barrier(grp, sycl::memory_scope::device);",
        }
        .into(),
        Collective::Broadcast { scope, variable, from } => {
            let group = group(scope);
            format!(
                "v{variable} = sycl::group_broadcast({group}, v{variable}, {} % std::uint32_t({group}.get_local_linear_range()));",
                expr(from)
            )
        }
        Collective::Reduce { scope, to, scalar: of, op, value, init } => {
            let init = init.as_ref().map_or(String::new(), |init| format!("{}, ", expr(init)));
            format!("{} = sycl::reduce_over_group({}, {}, {init}{});", within.place(to), group(scope), expr(value), functor(*op, *of))
        }
        Collective::Scan { scope, inclusive, to, scalar: of, op, value, init } => {
            let (place, value, op) = (within.place(to), expr(value), functor(*op, *of));
            let init = init.as_ref().map(expr);
            if *inclusive {
                let init = init.map_or(String::new(), |init| format!(", {init}"));
                format!("{place} = sycl::inclusive_scan_over_group({}, {value}, {op}{init});", group(scope))
            } else {
                let init = init.map_or(String::new(), |init| format!("{init}, "));
                format!("{place} = sycl::exclusive_scan_over_group({}, {value}, {init}{op});", group(scope))
            }
        }
        Collective::Vote { scope, vote, to, value } => {
            let name = match vote {
                Vote::Any => "any",
                Vote::All => "all",
                Vote::None => "none",
            };
            format!("{} = sycl::{name}_of_group({}, {});", within.place(to), group(scope), expr(value))
        }
        Collective::Shuffle { shuffle, variable, by } => {
            let lane = "std::uint32_t(sg.get_local_linear_id())";
            let lanes = "std::uint32_t(sg.get_local_linear_range())";
            if *shuffle == Shuffle::Select {
                return format!("v{variable} = sycl::select_from_group(sg, v{variable}, {} % {lanes});", expr(by));
            }
            let (function, there) = match shuffle {
                Shuffle::Left => ("shift_group_left", format!("{lane} + by < {lanes}")),
                Shuffle::Right => ("shift_group_right", format!("{lane} >= by")),
                _ => ("permute_group_by_xor", format!("({lane} ^ by) < {lanes}")),
            };
            let by = format!("{} % {}u", expr(by), within.kernel.sub_group);
            format!(
                "{{ const std::uint32_t by = {by}; const auto other = sycl::{function}(sg, v{variable}, by); if ({there}) v{variable} = other; }}"
            )
        }
        Collective::JointReduce { to, region, count, op, init } => {
            let (of, first) = (within.kernel.regions[*region].scalar, format!("&{}[0]", within.shared(&format!("r{region}"))));
            let op = functor(*op, of);
            format!("{} = sycl::joint_reduce(grp, {first}, {first} + {count}, {}, {op});", within.place(to), expr(init))
        }
        Collective::Copy { to, from, offset, count, stride } => {
            let span = count * stride;
            let places = within.kernel.regions[*from].length - span.min(within.kernel.regions[*from].length) + 1;
            let pointer = |space: &str, region: usize, plus: &str| {
                format!(
                    "sycl::address_space_cast<sycl::access::address_space::{space}_space, sycl::access::decorated::no>(&{}[0]){plus}",
                    within.shared(&format!("r{region}"))
                )
            };
            let (target, source) = (pointer("local", *to, ""), pointer("global", *from, " + first"));
            let stride = if *stride == 1 { String::new() } else { format!(", {stride}") };
            format!(
                "{{ const std::size_t first = {} % {places}u; it.wait_for(it.async_work_group_copy({target}, {source}, {count}{stride})); }}",
                expr(offset)
            )
        }
    }
}

/// Makes an item's result of the variables that count.
fn finish(kernel: &Kernel) -> String {
    let mut out = String::from("std::uint64_t H = 0; ");
    for &variable in &kernel.observed {
        let add = |name: &str, ty: &Type| match ty {
            Type::Scalar(_) => format!("rnd::add(H, {name}); "),
            Type::Array(_, count) | Type::Vector(_, _, count) => format!("for (int i = 0; i < {count}; ++i) rnd::add(H, {name}[i]); "),
            Type::Struct(_) => String::new(),
        };
        let kind = &kernel.variables[variable].ty;
        out += &add(&format!("v{variable}"), kind);
        if let Type::Struct(index) = kind {
            for (field, ty) in kernel.structs[*index].fields.iter().enumerate() {
                out += &add(&format!("v{variable}.f{field}"), ty);
            }
        }
    }
    out + "out[id_o] = H;"
}

/// The function that runs a kernel and compares; it gives how many numbers are wrong.
fn launch(number: usize, within: &Within<'_>, outcome: &Outcome) -> String {
    let kernel = within.kernel;
    let dimensions = kernel.launch.dimensions();
    let mut out = String::new();
    for (index, (of, default, _)) in kernel.constants.iter().enumerate() {
        writeln!(out, "inline constexpr sycl::specialization_id<{}> constant{index}({});", scalar(*of), literal(*of, *default))
            .expect(TAKES_ALL);
    }
    for (index, expected) in outcome.regions.iter().map(|(index, values)| (index.to_string(), values)).chain([("out".into(), &outcome.out)])
    {
        let of = index.parse().ok().map_or(super::ast::U64, |region: usize| kernel.regions[region].scalar);
        let values: Vec<String> = expected.iter().map(|bits| literal(of, *bits)).collect();
        writeln!(out, "static const {} expected_{index}[] = {{{}}};", scalar(of), values.join(", ")).expect(TAKES_ALL);
    }
    out += "class Name;\nstatic int run(sycl::queue &q) {\n";
    let mut held: Vec<(String, String, usize, bool)> = vec![("out".into(), "std::uint64_t".into(), kernel.launch.items(), true)];
    out += &format!("  std::vector<std::uint64_t> h_out({});\n  std::vector<std::uint8_t> h_zero(64);\n", kernel.launch.items());
    held.push(("zero".into(), "std::uint8_t".into(), 64, false));
    for (index, region) in kernel.regions.iter().enumerate().filter(|(_, region)| region.kind != Kind::Local) {
        let seed = kernel.seed.wrapping_add(index as u64);
        let of = scalar(region.scalar);
        writeln!(out, "  std::vector<{of}> h_r{index}({}); rnd::fill(h_r{index}, {seed}ull);", region.length).expect(TAKES_ALL);
        held.push((format!("r{index}"), of, region.length, region.kind != Kind::Input));
    }
    for (index, (of, bits)) in kernel.arguments.iter().enumerate() {
        writeln!(out, "  [[maybe_unused]] {} a{index} = {};", scalar(*of), literal(*of, *bits)).expect(TAKES_ALL);
    }
    out += "  {\n";
    for (name, of, length, _) in &held {
        let pointer = pointer(kernel, name);
        out += &if kernel.buffers {
            format!("    sycl::buffer<{of}, 1> b_{name}(h_{name}.data(), {length});\n")
        } else {
            format!(
                "    auto *{pointer} = sycl::malloc_shared<{of}>({length}, q); std::copy(h_{name}.begin(), h_{name}.end(), {pointer});\n"
            )
        };
    }
    out += "    q.submit([&](sycl::handler &h) {\n";
    if kernel.buffers {
        for (name, _, _, written) in held.iter().filter(|(name, ..)| !reduces(kernel, name)) {
            let mode = if *written { "read_write" } else { "read_only" };
            writeln!(out, "      sycl::accessor {name}(b_{name}, h, sycl::{mode});").expect(TAKES_ALL);
        }
    }
    for (index, region) in kernel.regions.iter().enumerate().filter(|(_, region)| region.kind == Kind::Local) {
        writeln!(out, "      sycl::local_accessor<{}, 1> r{index}({}, h);", scalar(region.scalar), region.length).expect(TAKES_ALL);
    }
    for (index, (of, _, set)) in kernel.constants.iter().enumerate() {
        if let Some(bits) = set {
            writeln!(out, "      h.set_specialization_constant<constant{index}>({});", literal(*of, *bits)).expect(TAKES_ALL);
        }
    }
    let list = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let (range, item) = match &kernel.launch {
        Launch::NdRange { local, groups } => {
            let global: Vec<usize> = local.iter().zip(groups).map(|(a, b)| a * b).collect();
            let range = format!("sycl::nd_range<{dimensions}>({{{}}}, {{{}}})", list(&global), list(local));
            (range, format!("sycl::nd_item<{dimensions}> it"))
        }
        Launch::Range(sizes) => {
            let kind = if kernel.seed & 1 == 0 { "id" } else { "item" };
            (format!("sycl::range<{dimensions}>({})", list(sizes)), format!("sycl::{kind}<{dimensions}> it"))
        }
        Launch::SingleTask => (String::new(), String::new()),
    };
    let mut parameters: Vec<String> = Vec::from_iter((!item.is_empty()).then_some(item));
    let mut given: Vec<String> = Vec::from_iter((!range.is_empty()).then_some(range));
    for (index, region) in kernel.regions.iter().enumerate() {
        if let Kind::Reduction(op) = region.kind {
            parameters.push(format!("auto &r{index}"));
            let to = if kernel.buffers { format!("b_r{index}, h") } else { format!("p_r{index}") };
            given.push(format!("sycl::reduction({to}, {})", functor(op, region.scalar)));
        }
    }
    if !kernel.constants.is_empty() {
        parameters.push("sycl::kernel_handler kh".into());
    }
    let mut attributes = String::new();
    if let (Launch::NdRange { local, .. }, true) = (&kernel.launch, kernel.required_group) {
        attributes += &format!(" [[sycl::reqd_work_group_size({})]]", list(local));
    }
    if kernel.sub_group > 0 {
        attributes += &format!(" [[sycl::reqd_sub_group_size({})]]", kernel.sub_group);
    }
    let launch = if matches!(kernel.launch, Launch::SingleTask) { "single_task" } else { "parallel_for" };
    given.push(format!("[=]({}){attributes} {{", parameters.join(", ")));
    writeln!(out, "      h.{launch}<Name>({}", given.join(", ")).expect(TAKES_ALL);
    out += &ids(kernel);
    for (index, (of, ..)) in kernel.constants.iter().enumerate() {
        writeln!(out, "  [[maybe_unused]] const {} c{index} = kh.get_specialization_constant<constant{index}>();", scalar(*of))
            .expect(TAKES_ALL);
    }
    if kernel.functions.iter().any(|function| function.group) {
        let regions = kernel.regions.iter().enumerate().filter(|(_, region)| !matches!(region.kind, Kind::Reduction(_)));
        let mut given: Vec<String> = vec!["&zero[0]".into()];
        given.extend(regions.map(|(index, _)| format!("&r{index}[0]")));
        given.extend((0..kernel.arguments.len()).map(|index| format!("a{index}")));
        writeln!(out, "  const Memory mem{{{}}};", given.join(", ")).expect(TAKES_ALL);
    }
    out += &declarations(within, 0);
    block(within, &kernel.body, 1, &mut out);
    writeln!(out, "  {}\n      }});\n    }}).wait_and_throw();", finish(kernel)).expect(TAKES_ALL);
    if !kernel.buffers {
        for (name, _, length, _) in &held {
            let pointer = pointer(kernel, name);
            writeln!(out, "    std::copy({pointer}, {pointer} + {length}, h_{name}.begin()); sycl::free({pointer}, q);").expect(TAKES_ALL);
        }
    }
    out += "  }\n  int wrong = 0;\n";
    for index in outcome.regions.iter().map(|(index, _)| format!("r{index}")).chain(["out".into()]) {
        let expected = index.trim_start_matches('r');
        writeln!(out, "  wrong += rnd::compare({number}, \"{index}\", h_{index}, expected_{expected});").expect(TAKES_ALL);
    }
    out + "  return wrong;\n}\n"
}

/// Whether the name is a region that a reduction writes: it is a parameter of the kernel, not captured.
fn reduces(kernel: &Kernel, name: &str) -> bool {
    let region = name.strip_prefix('r').and_then(|index| kernel.regions.get(index.parse::<usize>().ok()?));
    region.is_some_and(|region| matches!(region.kind, Kind::Reduction(_)))
}

/// The variable on the host that points to a region.
fn pointer(kernel: &Kernel, name: &str) -> String {
    if reduces(kernel, name) { format!("p_{name}") } else { name.to_owned() }
}
