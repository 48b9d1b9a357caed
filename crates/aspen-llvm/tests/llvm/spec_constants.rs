//! Layout of specialization constants of random types, against a naive twin that knows only the rules of x86-64 and SPIR's data layout:
//! natural alignment, vectors of three as large as of four, structures padded to their alignment unless packed.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a panic is how a test fails; sizes are small")]

use aspen_llvm::{Context, SpecConstantMode, SpecConstantPart};
use proptest::collection::vec;
use proptest::prelude::*;

/// A type with a value.
#[derive(Clone, Debug)]
enum Value {
    /// So many bytes of this bit pattern, an integer or a float.
    Integer(u64, u64),
    Float(f32),
    Double(f64),
    Half,
    /// Nothing is known of so many bytes.
    Undefined(u64),
    Vector(Vec<u64>),
    Array(Box<Value>, u64),
    Struct(Vec<Value>, bool),
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => (prop_oneof![Just(1u64), Just(2), Just(4), Just(8)], any::<u64>()).prop_map(|(size, bits)| Value::Integer(size, bits)),
        1 => (-8i16..8).prop_map(|number| Value::Float(f32::from(number))),
        1 => (-8i16..8).prop_map(|number| Value::Double(f64::from(number))),
        1 => Just(Value::Half),
        1 => (1u64..4).prop_map(Value::Undefined),
        1 => vec(any::<u32>().prop_map(u64::from), 2..5).prop_map(Value::Vector),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            3 => (vec(inner.clone(), 1..6), any::<bool>()).prop_map(|(members, packed)| Value::Struct(members, packed)),
            1 => (inner, 1u64..4).prop_map(|(element, count)| Value::Array(Box::new(element), count)),
        ]
    })
}

/// The type and the constant, as LLVM spells them.
fn spell(value: &Value) -> (String, String) {
    match value {
        Value::Integer(size, bits) => (format!("i{}", size * 8), (bits & (u64::MAX >> (64 - size * 8))).to_string()),
        Value::Float(number) => ("float".into(), format!("{number:e}").replace('e', ".0e").replace(".0e", "e").replace('e', ".0e")),
        Value::Double(number) => ("double".into(), format!("{number:.1}")),
        Value::Half => ("half".into(), "0xH3E00".into()),
        Value::Undefined(size) => (format!("[{size} x i8]"), "undef".into()),
        Value::Vector(elements) => {
            let list: Vec<_> = elements.iter().map(|element| format!("i32 {element}")).collect();
            (format!("<{} x i32>", elements.len()), format!("<{}>", list.join(", ")))
        }
        Value::Array(element, count) => {
            let (ty, text) = spell(element);
            (format!("[{count} x {ty}]"), format!("[{}]", vec![format!("{ty} {text}"); *count as usize].join(", ")))
        }
        Value::Struct(members, packed) => {
            let spelled: Vec<_> = members.iter().map(spell).collect();
            let types: Vec<_> = spelled.iter().map(|(ty, _)| ty.clone()).collect();
            let values: Vec<_> = spelled.iter().map(|(ty, text)| format!("{ty} {text}")).collect();
            let (open, close) = if *packed { ("<{", "}>") } else { ("{", "}") };
            (format!("{open} {} {close}", types.join(", ")), format!("{open} {} {close}", values.join(", ")))
        }
    }
}

/// Size without padding behind it, and alignment.
fn size(value: &Value) -> (u64, u64) {
    match value {
        Value::Integer(size, _) => (*size, *size),
        Value::Float(_) => (4, 4),
        Value::Double(_) => (8, 8),
        Value::Half => (2, 2),
        Value::Undefined(size) => (*size, 1),
        Value::Vector(elements) => (4 * elements.len() as u64, 4 * (elements.len() as u64).next_power_of_two()),
        Value::Array(element, count) => {
            let (size, align) = size(element);
            (size.next_multiple_of(align) * count, align)
        }
        Value::Struct(members, packed) => {
            let (mut end, mut most) = (0u64, 1);
            for member in members {
                let (size, align) = size(member);
                let align = if *packed { 1 } else { align };
                let stride = if matches!(member, Value::Vector(_)) { size.next_multiple_of(self::size(member).1) } else { size };
                end = end.next_multiple_of(align) + stride;
                most = most.max(align);
            }
            (end.next_multiple_of(most), most)
        }
    }
}

/// Whether anything of it has a value.
fn is_defined(value: &Value) -> bool {
    match value {
        Value::Undefined(_) => false,
        Value::Array(element, _) => is_defined(element),
        Value::Struct(members, _) => members.iter().any(is_defined),
        _ => true,
    }
}

#[derive(Default)]
struct Twin {
    parts: Vec<SpecConstantPart>,
    memory: Vec<u8>,
    next: u32,
}

impl Twin {
    fn scalar(&mut self, offset: u64, bytes: &[u8]) -> u64 {
        self.parts.push(SpecConstantPart { id: self.next, offset: offset as u32, size: bytes.len() as u32 });
        self.next += 1;
        self.memory[offset as usize..offset as usize + bytes.len()].copy_from_slice(bytes);
        offset + bytes.len() as u64
    }

    /// Returns where the last part ends.
    fn visit(&mut self, value: &Value, offset: u64) -> u64 {
        if !is_defined(value) {
            self.next += 1;
            return offset;
        }
        match value {
            Value::Integer(size, bits) => self.scalar(offset, &bits.to_le_bytes()[..*size as usize]),
            Value::Float(number) => self.scalar(offset, &number.to_le_bytes()),
            Value::Double(number) => self.scalar(offset, &number.to_le_bytes()),
            Value::Half => self.scalar(offset, &[0, 0x3e]),
            Value::Undefined(_) => unreachable!("handled above"),
            Value::Vector(elements) => {
                (0u64..).zip(elements).fold(offset, |_, (index, element)| self.scalar(offset + 4 * index, &element.to_le_bytes()[..4]))
            }
            Value::Array(element, count) => {
                let (size, align) = size(element);
                (0..*count).fold(offset, |_, index| self.visit(element, offset + index * size.next_multiple_of(align)))
            }
            Value::Struct(members, packed) => {
                let (mut place, mut last) = (offset, offset);
                for member in members {
                    let (size, align) = size(member);
                    place = if *packed { place } else { offset + (place - offset).next_multiple_of(align) };
                    last = self.visit(member, place);
                    place += if matches!(member, Value::Vector(_)) { size.next_multiple_of(align) } else { size };
                }
                let end = offset + size(value).0;
                if last < end {
                    self.parts.push(SpecConstantPart { id: SpecConstantPart::PADDING, offset: last as u32, size: (end - last) as u32 });
                }
                end
            }
        }
    }
}

fn module(values: &[Value]) -> String {
    let mut out = String::from(
        "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1\"\n\
         target triple = \"spir64-unknown-unknown\"\n",
    );
    let mut body = String::from("define spir_kernel void @k(ptr addrspace(4) %out, ptr addrspace(4) %buffer) {\n");
    for (index, value) in values.iter().enumerate() {
        let (ty, text) = spell(value);
        let reader = format!("_Z40__sycl_getComposite2020SpecConstantValueI{index}ET_PKcPKvS5_");
        out += &format!("%t{index} = type {{ {ty} }}\n@n{index} = private addrspace(4) constant [3 x i8] c\"c{index}\\00\"\n");
        out += &format!("@d{index} = internal addrspace(4) constant {{ {ty} }} {{ {ty} {text} }}\n");
        out += &format!("declare void @{reader}(ptr addrspace(4) sret({ty}), ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))\n");
        body += &format!(
            "  call void @{reader}(ptr addrspace(4) sret({ty}) %out, ptr addrspace(4) @n{index}, ptr addrspace(4) @d{index}, ptr addrspace(4) %buffer)\n"
        );
    }
    out + &body + "  ret void\n}\n"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn parts_and_default_values_are_where_the_twin_has_them(values in vec(value().prop_filter("has a value", is_defined), 1..4)) {
        let text = module(&values);
        let context = Context::new();
        let lowered = |mode| {
            let mut module = context.parse("m.ll", text.as_bytes()).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            let lowered = module.lower_spec_constants(mode).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            Ok::<_, TestCaseError>((lowered.unwrap(), module.to_text()))
        };
        let (native, ir) = lowered(SpecConstantMode::Native)?;
        let (mut next, mut memory) = (0, Vec::new());
        prop_assert_eq!(native.constants.len(), values.len());
        for (constant, value) in native.constants.iter().zip(&values) {
            let mut twin = Twin { next, memory: vec![0; size(value).0 as usize], ..Twin::default() };
            twin.visit(value, 0);
            prop_assert_eq!(&constant.parts, &twin.parts, "{}", &text);
            next = twin.next;
            memory.extend(twin.memory);
            // Every part but padding is a constant of SPIR-V.
            for part in constant.parts.iter().filter(|part| part.id != SpecConstantPart::PADDING) {
                prop_assert_eq!(ir.matches(&format!("(i32 {}, ", part.id)).count(), 1, "{}\n{}", part.id, &ir);
            }
        }
        prop_assert_eq!(&native.defaults, &memory, "{}", &text);

        // In the buffer each stands aligned behind the one before.
        let (emulated, ir) = lowered(SpecConstantMode::Emulation)?;
        let mut place = 0u64;
        for (index, (constant, value)) in emulated.constants.iter().zip(&values).enumerate() {
            let (size, align) = size(value);
            place = place.next_multiple_of(align);
            prop_assert_eq!((constant.parts[0].id, constant.parts[0].offset, u64::from(constant.parts[0].size)), (index as u32, 0, size));
            prop_assert!(ir.contains(&format!("%buffer, i32 {place}\n")), "{place}: {ir}");
            place += size;
            let behind = values.get(index + 1).map_or(place, |next| place.next_multiple_of(self::size(next).1)) - place;
            let padding: Vec<u32> = constant.parts[1..].iter().map(|part| part.size).collect();
            let expected = if behind == 0 { vec![] } else { vec![behind as u32] };
            prop_assert_eq!(padding, expected);
        }
        prop_assert_eq!(emulated.defaults.len() as u64, place);
        let (defaults, ir) = lowered(SpecConstantMode::Defaults)?;
        prop_assert!(defaults.constants.is_empty() && !ir.contains("SpecConstant"), "{}", ir);
    }
}
