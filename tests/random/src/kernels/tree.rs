//! Walks over a kernel's statements and expressions, in the order of the text: how the generator takes out what is wrong, and the shrinker
//! what is not needed.

use super::ast::{Argument, Collective, Expr, Kernel, Place, Scalar, Stmt, U32};

impl Stmt {
    pub fn blocks(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::If(_, a, b) | Stmt::IfDeviceHas(_, a, b) => vec![a, b],
            Stmt::For { body, .. } | Stmt::DoWhile { body, .. } => vec![body],
            Stmt::Switch(_, cases, default) => cases.iter_mut().map(|case| &mut case.1).chain([default]).collect(),
            _ => Vec::new(),
        }
    }

    /// The expressions at its top, and those that index its places.
    fn exprs<'s>(&'s mut self) -> Vec<&'s mut Expr> {
        fn of(place: &mut Place) -> impl Iterator<Item = &mut Expr> {
            place.index.as_deref_mut().into_iter()
        }
        match self {
            Stmt::Assign(place, value) => of(place).chain([value]).collect(),
            Stmt::VectorOp(_, _, value) | Stmt::If(value, ..) | Stmt::Switch(value, ..) => vec![value],
            Stmt::Store(_, index, value) | Stmt::Atomic(_, _, index, value) => vec![index, value],
            Stmt::For { bound, .. } => vec![bound],
            Stmt::DoWhile { bound, cond, .. } => vec![bound, cond],
            Stmt::Call { arguments, .. } => {
                let value = |argument: &'s mut Argument| if let Argument::Value(value) = argument { Some(value) } else { None };
                arguments.iter_mut().filter_map(value).collect()
            }
            Stmt::Together(collective) => match collective {
                Collective::Barrier(..) => Vec::new(),
                Collective::Broadcast { from: value, .. }
                | Collective::Shuffle { by: value, .. }
                | Collective::Copy { offset: value, .. } => vec![value],
                Collective::Reduce { to, value, init, .. } | Collective::Scan { to, value, init, .. } => {
                    of(to).chain([value]).chain(init.as_mut()).collect()
                }
                Collective::Vote { to, value, .. } | Collective::JointReduce { to, init: value, .. } => of(to).chain([value]).collect(),
            },
            _ => Vec::new(),
        }
    }
}

impl Expr {
    pub fn children(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Place(_, place) => place.index.as_deref_mut().into_iter().collect(),
            Expr::Load(_, a) | Expr::Unary(_, _, a) | Expr::LogicNot(a) | Expr::Cast(_, _, a) | Expr::ToFloat(_, _, _, a) => vec![a],
            Expr::Binary(_, _, a, b) | Expr::Compare(_, _, a, b) | Expr::Logic(_, a, b) => vec![a, b],
            Expr::Select(_, condition, a, b) => vec![condition, a, b],
            _ => Vec::new(),
        }
    }

    pub fn scalar(&self, kernel: &Kernel) -> Scalar {
        match self {
            Expr::Lit(of, _) | Expr::Place(of, _) | Expr::Unary(_, of, _) | Expr::Binary(_, of, ..) | Expr::Select(of, ..) => *of,
            Expr::Cast(of, ..) | Expr::ToFloat(of, ..) => *of,
            Expr::Id(_) | Expr::Zero(_) => U32,
            Expr::Argument(index) => kernel.arguments[*index].0,
            Expr::Constant(index) => kernel.constants[*index].0,
            Expr::Load(region, _) => kernel.regions[*region].scalar,
            Expr::Compare(..) | Expr::Logic(..) | Expr::LogicNot(_) => Scalar::Bool,
        }
    }
}

fn bodies(kernel: &mut Kernel) -> Vec<&mut Vec<Stmt>> {
    kernel.functions.iter_mut().map(|function| &mut function.body).chain([&mut kernel.body]).collect()
}

/// Calls `visit` with each statement's block and its place there, in preorder, until it gives true.
fn walk(body: &mut Vec<Stmt>, visit: &mut impl FnMut(&mut Vec<Stmt>, usize) -> bool) -> bool {
    let mut at = 0;
    while at < body.len() {
        if visit(body, at) {
            return true;
        }
        for block in body[at].blocks() {
            if walk(block, visit) {
                return true;
            }
        }
        at += 1;
    }
    false
}

pub fn count(kernel: &Kernel) -> usize {
    let mut kernel = kernel.clone();
    let mut count = 0;
    for body in bodies(&mut kernel) {
        walk(body, &mut |_, _| {
            count += 1;
            false
        });
    }
    count
}

/// The number of the statement at that place in memory.
pub fn position(kernel: &mut Kernel, at: *const Stmt) -> Option<usize> {
    let mut number = 0;
    let mut found = false;
    for body in bodies(kernel) {
        found = found
            || walk(body, &mut |block, index| {
                let here = std::ptr::eq(&raw const block[index], at);
                number += usize::from(!here);
                here
            });
    }
    found.then_some(number)
}

/// Does something to the statement of that number, in its block.
pub fn edit(kernel: &mut Kernel, number: usize, mut action: impl FnMut(&mut Vec<Stmt>, usize)) -> bool {
    let mut left = number;
    bodies(kernel).into_iter().any(|body| {
        walk(body, &mut |block, index| {
            if left == 0 {
                action(block, index);
                return true;
            }
            left -= 1;
            false
        })
    })
}

/// Calls `visit` with each expression, outer ones first, until it gives true.
pub fn expressions(kernel: &mut Kernel, visit: &mut impl FnMut(&mut Expr) -> bool) -> bool {
    fn inside(expr: &mut Expr, visit: &mut impl FnMut(&mut Expr) -> bool) -> bool {
        visit(expr) || expr.children().into_iter().any(|child| inside(child, visit))
    }
    bodies(kernel).into_iter().any(|body| walk(body, &mut |block, index| block[index].exprs().into_iter().any(|expr| inside(expr, visit))))
}

/// The functions that are called in a body.
pub fn calls(body: &[Stmt]) -> Vec<usize> {
    let mut out = Vec::new();
    for stmt in body {
        if let Stmt::Call { function, .. } = stmt {
            out.push(*function);
        }
        let mut stmt = stmt.clone();
        stmt.blocks().into_iter().for_each(|block| out.extend(calls(block)));
    }
    out
}

/// Which functions the kernel still calls, by itself or through others.
pub fn called(kernel: &Kernel) -> Vec<bool> {
    let mut called = vec![false; kernel.functions.len()];
    let mut todo = calls(&kernel.body);
    while let Some(function) = todo.pop() {
        if !std::mem::replace(&mut called[function], true) {
            todo.extend(calls(&kernel.functions[function].body));
        }
    }
    called
}
