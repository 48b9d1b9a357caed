//! Where the needs of a kernel begin: every function that uses something by itself, as far as the file tells.
//!
//! Objects, archives and bare modules carry the whole picture (`Summary`): all functions that a kernel reaches and what each uses, so what
//! is left without one of them is known. A linked program has one chain for each need, to the nearest use; others may lie behind it.
//!
//! What functions of system headers use counts for the user's function that calls them: nobody will change the header.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aspen_analysis::Summary;
use aspen_analysis::summary::{FuncId, Function, Role};
use aspen_contract::{Aspect, Need, Place, Requirements, Source};

use crate::program::{Image, Kernel};

/// A use of something that devices may lack, or its declaration.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Origin {
    pub need: Need,
    /// Unknown if nothing is recorded.
    pub function: Option<String>,
    /// Whether that is the kernel itself.
    pub in_kernel: bool,
    pub place: Option<Place>,
    /// Whether an attribute says so, and nothing uses it.
    pub declared: bool,
    /// What a reader would not see there.
    pub remark: Option<String>,
}

/// The call graphs of a file's images.
pub struct Origins<'i> {
    graphs: HashMap<usize, Graph<'i>>,
}

struct Graph<'i> {
    summary: &'i Summary,
    by_symbol: HashMap<&'i str, FuncId>,
}

impl<'i> Origins<'i> {
    /// Of the images that have one.
    pub fn of(images: &'i [Image]) -> Origins<'i> {
        let graphs = images.iter().enumerate().filter_map(|(index, image)| {
            let summary = image.summary.as_ref()?;
            let by_symbol = summary.iter().map(|(id, function)| (function.symbol.as_str(), id)).collect();
            Some((index, Graph { summary, by_symbol }))
        });
        Origins { graphs: graphs.collect() }
    }

    /// The translation unit, where the analysis is here.
    pub fn unit_of(&self, kernel: &Kernel, image: usize) -> Option<String> {
        let graph = self.graphs.get(&image)?;
        let function = graph.summary.function(*graph.by_symbol.get(kernel.symbol.as_str())?);
        Some(function.unit.clone()).filter(|unit| !unit.is_empty())
    }

    /// Where everything that the kernel needs begins, and whether that is all there is.
    pub fn of_kernel(
        &self,
        kernel: &Kernel,
        holders: &[(usize, &Kernel)],
        requirements: &Requirements,
        sources: &[Source],
    ) -> (bool, Vec<Origin>) {
        let graphs: Vec<&Graph<'_>> = holders.iter().filter_map(|(image, _)| self.graphs.get(image)).collect();
        let is_exact = graphs.len() == holders.len();
        let mut out = BTreeSet::new();
        for need in requirements.needs() {
            let before = out.len();
            if let (Need::Aspect(aspect), true) = (&need, is_exact) {
                graphs.iter().for_each(|graph| graph.users(kernel, *aspect, &mut out));
            }
            if out.len() == before {
                out.insert(recorded(need, sources));
            }
        }
        (is_exact, out.into_iter().collect())
    }
}

/// The beginning of the chain.
fn recorded(need: Need, sources: &[Source]) -> Origin {
    let source = sources.iter().find(|source| source.need == need);
    let first = source.and_then(|source| source.chain.first());
    Origin {
        function: first.map(|step| template_of(&step.function)),
        place: first.and_then(|step| step.place.clone()),
        in_kernel: source.is_some_and(|source| source.chain.len() == 1),
        declared: source.is_some_and(|source| source.declared),
        remark: first.and_then(|step| step.remark.as_ref()).map(ToString::to_string),
        need,
    }
}

impl Graph<'_> {
    /// The functions that the kernel reaches and that use the aspect.
    fn users(&self, kernel: &Kernel, aspect: Aspect, out: &mut BTreeSet<Origin>) {
        let Some(&entry) = self.by_symbol.get(kernel.symbol.as_str()) else { return };
        let body = match &self.summary.function(entry).role {
            Role::Kernel(kernel) => kernel.body,
            Role::Plain | Role::Exported => None,
        };
        let is_root = |id: FuncId| id == entry || Some(id) == body;
        // By function, entry and body being the kernel; instances of a template are the same where they use it at the same place.
        let mut found: BTreeMap<FuncId, Origin> = BTreeMap::new();
        let (mut seen, mut work) = (BTreeSet::new(), Vec::from_iter([Some(entry), body].into_iter().flatten()));
        // With every function, the user's function and the place in it from which it is reached through headers alone.
        let mut callers: HashMap<FuncId, (FuncId, Option<Place>)> = HashMap::new();
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            let function = self.summary.function(id);
            let is_users = is_root(id) || !(function.system || function.glue);
            let (caller, call) = callers.get(&id).cloned().unwrap_or((entry, None));
            let user = if is_users { id } else { caller };
            if let Some((place, declared, remark)) = own_use(function, aspect) {
                let name = template_of(if is_root(user) { &kernel.name } else { &self.summary.function(user).name });
                // What counts by an attribute without a place is used at the call.
                let place = place.filter(|_| is_users).or_else(|| call.clone());
                let (need, function, in_kernel) = (Need::Aspect(aspect), Some(name), is_root(user));
                let origin = Origin { need, function, in_kernel, place, declared, remark };
                let known = found.entry(if in_kernel { entry } else { user }).or_insert_with(|| origin.clone());
                let is_better = (known.declared, known.place.is_none()) > (origin.declared, origin.place.is_none());
                if is_better {
                    *known = origin;
                }
            }
            for next in &function.calls {
                let callee = self.summary.function(next.callee);
                // Code that runs only where the device has it is no need of it.
                if callee.guard.as_ref().is_some_and(|guard| guard.has.contains(&aspect)) {
                    continue;
                }
                let from = if is_users { (id, next.place.clone()) } else { (user, call.clone()) };
                callers.entry(next.callee).or_insert(from);
                work.push(next.callee);
            }
        }
        out.extend(found.into_values());
    }
}

/// Where the function itself uses the aspect; whether it is only declared; what is not seen there.
fn own_use(function: &Function, aspect: Aspect) -> Option<(Option<Place>, bool, Option<String>)> {
    if let Some(own) = function.uses.iter().find(|own| own.aspect == aspect) {
        let remark = own.promoted_for.as_ref().map(|callee| aspen_contract::Remark::Promoted { callee: callee.clone() }.to_string());
        return Some((own.place.clone(), false, remark));
    }
    if function.uses_attribute.contains(&aspect) {
        return Some((None, true, None));
    }
    let declared = function.declared.as_ref().filter(|declared| declared.aspects.contains(&aspect))?;
    Some((declared.place.clone(), true, None))
}

/// The function as it is written once, whatever it is instantiated with: `scale<…>` of `ns::scale<double>`. What SYCL's own templates are made
/// of (`RoundedRangeKernel<…>`) is what the user wrote, their last argument.
fn template_of(name: &str) -> String {
    /// Operators whose names have such letters, longer ones first.
    const OPERATORS: [&str; 11] = ["<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"];
    let (mut out, mut depth, mut last_argument) = (String::new(), 0usize, 0);
    let mut end_of_operator = 0;
    for (at, letter) in name.char_indices() {
        if name[..at].ends_with("operator") {
            let operator = OPERATORS.into_iter().find(|operator| name[at..].starts_with(operator));
            end_of_operator = at + operator.map_or(0, str::len);
        }
        match letter {
            '<' if at >= end_of_operator => {
                if depth == 0 {
                    out.push_str("<…");
                    last_argument = at + 1;
                }
                depth += 1;
            }
            '>' if at >= end_of_operator && depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    let is_whole = at + 1 == name.len();
                    let argument = name[last_argument..at].trim();
                    // Numbers are no names.
                    if is_whole && name.starts_with("sycl::") && argument.starts_with(|first: char| !first.is_ascii_digit()) {
                        return template_of(argument);
                    }
                    out.push('>');
                }
            }
            ',' if depth == 1 => last_argument = at + 1,
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_of_a_template_are_one_function() {
        for (name, expected) in [
            ("inner", "inner"),
            ("ns::scale<double>", "ns::scale<…>"),
            ("ns::a<b<int>, c<2>>::run<3>(d<e>)", "ns::a<…>::run<…>(d<…>)"),
            ("x::operator<", "x::operator<"),
            ("x<int>::operator<<", "x<…>::operator<<"),
            ("x::operator<=>", "x::operator<=>"),
            ("x::operator->", "x::operator->"),
            ("x::operator>><int>", "x::operator>><…>"),
            ("sycl::_V1::detail::RoundedRangeKernel<sycl::_V1::item<1, true>, 1, user<f<double>>>", "user<…>"),
            ("sycl::_V1::detail::__pf_kernel_wrapper<sycl::_V1::detail::Wrap<mine>>", "mine"),
            ("sycl::vec<int, 4>", "sycl::vec<…>"),
            ("lambda at a.cpp:3:1", "lambda at a.cpp:3:1"),
        ] {
            assert_eq!(template_of(name), expected, "{name}");
        }
    }
}
