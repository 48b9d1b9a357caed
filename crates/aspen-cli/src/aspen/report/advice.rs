//! What to do about a cause, in the words of a fix-it: what to write, and where.

use aspen_contract::{Aspect, Need};

use super::causes::Cause;
use super::origins::Origin;

/// In the order in which one would try.
pub fn advice(cause: &Cause) -> Vec<String> {
    let Origin { need, place, declared, remark, .. } = &cause.origin;
    let at = place.as_ref().map_or_else(|| "there".to_owned(), |place| format!("at {place}"));
    match need {
        // What another compiler knows can be written in no program of this one.
        Need::Aspect(aspect) if aspect.name().is_none() => vec![format!("Leave out what needs it {at}: aspect {aspect} has no name here")],
        Need::Aspect(aspect) if *declared => vec![
            format!("Take '{aspect}' out of the attribute {at}, if nothing needs it any more: what is declared counts as needed"),
            guard(*aspect, "the call"),
        ],
        Need::Aspect(aspect) => {
            let mut out = Vec::new();
            if let Some(remark) = remark {
                out.push(format!("{} {at}: give it something that is no float, or print it another way", first_upper(remark)));
            }
            let of_template = origin_is_template(&cause.origin);
            match *aspect {
                _ if of_template => out.push(format!(
                    "It is a template, and its place is not recorded: the instances for types that need {aspect} need it by themselves; \
                     submit them only where device::has(sycl::aspect::{aspect})"
                )),
                Aspect::FP64 => out.push(format!(
                    "Make it float {at}: a constant such as 2.0 is a double (write 2.0f), and so is what std::sqrt(int) and the like return"
                )),
                Aspect::FP16 => out.push(format!("Compute in float {at}, and convert where the value is stored")),
                Aspect::ATOMIC64 => out.push(format!("Use an atomic_ref of 32 bits {at}: int, unsigned or float")),
                _ => {}
            }
            out.push(guard(*aspect, "the use"));
            out.push(format!(
                "If the kernel is meant for such devices only, say so: [[sycl::device_has(sycl::aspect::{aspect})]] on it, and \
                 ask device::has(sycl::aspect::{aspect}) before it is submitted"
            ));
            out
        }
        Need::SubGroupSize(size) => vec![
            format!("Leave [[sycl::reqd_sub_group_size({size})]] out {at}, if the code works with any size"),
            "Make the size a template parameter, and choose by device::get_info<sycl::info::device::sub_group_sizes>()".into(),
        ],
        Need::WorkGroupSize(size) => vec![
            format!("Require a work-group smaller than {size} {at}, or none ([[sycl::reqd_work_group_size]])"),
            "Make the size a template parameter, and choose by device::get_info<sycl::info::device::max_work_group_size>()".into(),
        ],
    }
}

fn origin_is_template(origin: &Origin) -> bool {
    origin.place.is_none() && origin.function.as_ref().is_some_and(|function| function.contains("<…>"))
}

fn guard(aspect: Aspect, what: &str) -> String {
    format!(
        "Guard {what}: sycl::ext::oneapi::experimental::if_device_has<sycl::aspect::{aspect}>([&] {{ … }}).else_device([&] {{ … }}); \
         the body counts only where the device has it"
    )
}

fn first_upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
