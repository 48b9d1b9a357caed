//! What operations on numbers give. Independent of C++: everything is computed in 128 bits or as a double, and cut.

use super::ast::{Comparison, Op, Scalar, Unary};

/// The number as it is, from its 64 bits.
pub fn wide(scalar: Scalar, bits: u64) -> i128 {
    match scalar {
        Scalar::Int { bits: width, signed: true } => (((bits << (64 - width)) as i64) >> (64 - width)).into(),
        _ => bits.into(),
    }
}

/// An integer cut to a type's width; anything but zero is true.
pub fn cut(scalar: Scalar, value: i128) -> u64 {
    match scalar {
        Scalar::Bool => u64::from(value != 0),
        Scalar::Int { bits: 64, .. } => value as u64,
        Scalar::Int { bits, .. } => value as u64 & ((1 << bits) - 1),
        Scalar::F16 | Scalar::F32 | Scalar::F64 => (value as f64).to_bits(),
    }
}

/// A floating-point number, if the type holds it exactly and it is of a harmless size.
pub fn exact(scalar: Scalar, value: f64) -> Option<u64> {
    let fits = match scalar {
        // 11 bits of precision, the exponent from -14 on.
        Scalar::F16 => value.abs() <= 65504.0 && (value == 0.0 || significant_bits(value) <= 11 && value.abs() >= 6.2e-5),
        Scalar::F32 => f64::from(value as f32) == value && (value == 0.0 || value.abs() > 1e-30),
        _ => true,
    };
    (fits && value.abs() < 1e12).then(|| value.to_bits())
}

fn significant_bits(value: f64) -> u32 {
    53 - (value.to_bits() | 1 << 52).trailing_zeros().min(52)
}

/// An operation on integers. What would be undefined or trap is spelled away in C++ too: amounts of shifts are masked, divisors made odd
/// (unsigned) or 1 to 8 (signed).
pub fn integer(op: Op, scalar: Scalar, a: u64, b: u64) -> u64 {
    let Scalar::Int { bits, signed } = scalar else { return 0 };
    let (x, y) = (wide(scalar, a), wide(scalar, b));
    let amount = (b & u64::from(bits - 1)) as u32;
    let divisor = if signed { i128::from(b & 7) + 1 } else { y | 1 };
    let (least, most) = if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    let value = match op {
        Op::Add => x + y,
        Op::Sub => x - y,
        Op::Mul => x.wrapping_mul(y),
        Op::And => x & y,
        Op::Or => x | y,
        Op::Xor => x ^ y,
        Op::Shl => x << amount,
        Op::Shr => x >> amount,
        Op::Div => x / divisor,
        Op::Rem => x % divisor,
        Op::Min => x.min(y),
        Op::Max => x.max(y),
        Op::AddSat => (x + y).clamp(least, most),
        Op::SubSat => (x - y).clamp(least, most),
        Op::Hadd => (x + y) >> 1,
        Op::Rhadd => (x + y + 1) >> 1,
        Op::MulHi if signed => (x * y) >> bits,
        Op::MulHi => ((u128::from(a) * u128::from(b)) >> bits) as i128,
        Op::AbsDiff => (x - y).abs(),
        Op::Rotate => (i128::from(a) << amount) | (i128::from(a) >> (bits - amount)),
    };
    cut(scalar, value)
}

/// An operation on floating-point numbers; nothing if it is not exact.
pub fn float(op: Op, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let value = match op {
        Op::Add => x + y,
        Op::Sub => x - y,
        // Both have few bits, so that even the double is exact.
        Op::Mul if significant_bits(x) + significant_bits(y) <= 52 => x * y,
        Op::Min if x != y => x.min(y),
        Op::Max if x != y => x.max(y),
        Op::Min | Op::Max => x,
        _ => return None,
    };
    // Of a sum, too: what was added can be found again.
    if matches!(op, Op::Add) && (value - x != y || value - y != x) || matches!(op, Op::Sub) && (value + y != x || x - value != y) {
        return None;
    }
    exact(scalar, value)
}

/// Of two numbers of one type: an operation, if it is defined.
pub fn binary(op: Op, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    match scalar {
        Scalar::Bool => None,
        Scalar::Int { .. } => Some(integer(op, scalar, a, b)),
        _ => float(op, scalar, a, b),
    }
}

pub fn unary(op: Unary, scalar: Scalar, a: u64) -> u64 {
    let Scalar::Int { bits, .. } = scalar else {
        return (-f64::from_bits(a)).to_bits();
    };
    match op {
        Unary::Neg => cut(scalar, -wide(scalar, a)),
        Unary::Not => cut(scalar, !wide(scalar, a)),
        Unary::Popcount => a.count_ones().into(),
        Unary::Clz => u64::from(a.leading_zeros()) - u64::from(64 - bits),
    }
}

pub fn compare(comparison: Comparison, scalar: Scalar, a: u64, b: u64) -> bool {
    let order = if scalar.is_float() { f64::from_bits(a).total_cmp(&(f64::from_bits(b))) } else { wide(scalar, a).cmp(&wide(scalar, b)) };
    // Zeros of both signs are equal.
    let order = if scalar.is_float() && f64::from_bits(a) == f64::from_bits(b) { std::cmp::Ordering::Equal } else { order };
    match comparison {
        Comparison::Less => order.is_lt(),
        Comparison::LessEqual => order.is_le(),
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
    }
}

/// To one type from another; floating point becomes an integer through 64 signed bits.
pub fn cast(to: Scalar, from: Scalar, bits: u64) -> Option<u64> {
    if !from.is_float() {
        let value = wide(from, bits);
        return if to.is_float() {
            (value.abs() < 1 << 40).then_some(()).and_then(|()| exact(to, value as f64))
        } else {
            Some(cut(to, value))
        };
    }
    let value = f64::from_bits(bits);
    if to.is_float() {
        return exact(to, value);
    }
    Some(cut(to, if to == Scalar::Bool { i128::from(value != 0.0) } else { i128::from(value as i64) }))
}

/// A number as it enters the result of an item: `observe` of the programs.
pub fn observed(scalar: Scalar, bits: u64) -> u64 {
    if scalar.is_float() { (f64::from_bits(bits) * 1024.0) as i64 as u64 } else { wide(scalar, bits) as u64 }
}

/// `mix` of the programs.
pub fn mix(hash: u64, value: u64) -> u64 {
    let added = value.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_add(hash << 6).wrapping_add(hash >> 2);
    (hash ^ added).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

/// `fill` of the programs: what a memory region holds at first.
pub fn fill(scalar: Scalar, length: usize, seed: u64) -> Vec<u64> {
    let mut state = seed | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if scalar.is_float() { f64::from((state >> 20 & 63) as u32).to_bits() } else { cut(scalar, i128::from(state >> 11)) }
    };
    (0..length).map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::super::ast::*;
    use super::*;

    #[test]
    fn integers_are_those_of_cpp() {
        for (op, ty, a, b, expected) in [
            (Op::Add, U8, 250, 10, 4),
            (Op::Sub, I8, 0, 1, 255),
            (Op::Shr, I8, 0x80, 1, 0xc0),
            (Op::Shr, U8, 0x80, 9, 0x40),
            (Op::Div, I16, 0xfff9, 2, 0xfffe),
            (Op::Rem, U32, 10, 2, 1),
            (Op::AddSat, I8, 100, 100, 127),
            (Op::SubSat, U16, 1, 2, 0),
            (Op::Hadd, I32, u64::from(u32::MAX), 0, u64::from(u32::MAX)),
            (Op::Rhadd, U8, 255, 255, 255),
            (Op::MulHi, U64, u64::MAX, u64::MAX, u64::MAX - 1),
            (Op::MulHi, I64, u64::MAX, u64::MAX, 0),
            (Op::AbsDiff, I8, 0x80, 0x7f, 255),
            (Op::Rotate, U16, 0x8001, 1, 3),
            (Op::Rotate, U64, 5, 0, 5),
        ] {
            assert_eq!(integer(op, ty, a, b), expected, "{op:?} {ty:?} {a} {b}");
        }
    }

    #[test]
    fn floating_point_is_exact_or_refused() {
        let bits = f64::to_bits;
        for (op, ty, a, b, expected) in [
            (Op::Add, Scalar::F16, 2047.0, 1.0, Some(2048.0)),
            (Op::Add, Scalar::F16, 2048.0, 1.0, None),
            (Op::Mul, Scalar::F32, 4097.0, 4097.0, None),
            (Op::Mul, Scalar::F64, 4097.0, 4097.0, Some(16_785_409.0)),
            (Op::Sub, Scalar::F32, 0.5, 3.0, Some(-2.5)),
            (Op::Max, Scalar::F32, -0.5, 3.0, Some(3.0)),
        ] {
            assert_eq!(float(op, ty, bits(a), bits(b)), expected.map(bits), "{op:?} {ty:?} {a} {b}");
        }
    }
}
