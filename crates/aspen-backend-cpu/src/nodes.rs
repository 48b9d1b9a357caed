//! Which processors share a NUMA node: what Linux says in `/sys/devices/system/node`, of those that the process may use.

use std::fs;
use std::mem;
use std::path::Path;

/// The processors of each node that has some which the process may use; none where that is not known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Nodes(pub(crate) Vec<Vec<usize>>);

impl Nodes {
    pub(crate) fn of_process() -> Nodes {
        Nodes::of(Path::new("/sys/devices/system/node"), &allowed())
    }

    fn of(folder: &Path, allowed: &[usize]) -> Nodes {
        let mut nodes = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let number = name.strip_prefix("node").and_then(|number| number.parse::<usize>().ok());
            let list = fs::read_to_string(entry.path().join("cpulist")).ok();
            if let (Some(number), Some(list)) = (number, list) {
                let here: Vec<usize> = listed(&list).into_iter().filter(|cpu| allowed.contains(cpu)).collect();
                nodes.push((number, here));
            }
        }
        nodes.sort();
        Nodes(nodes.into_iter().map(|(_, cpus)| cpus).filter(|cpus| !cpus.is_empty()).collect())
    }
}

/// "0-3,8" are 0, 1, 2, 3 and 8. Source: Linux, Documentation/admin-guide/cputopology.rst.
fn listed(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<usize>().ok()?..=last.trim().parse::<usize>().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

/// The processors that the process may use.
fn allowed() -> Vec<usize> {
    // SAFETY: zeros are an empty set, which the call fills; its size is given.
    let set = unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        set
    };
    // SAFETY: numbers below the set's size.
    (0..libc::CPU_SETSIZE as usize).filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) }).collect()
}

/// Keeps the calling thread on these processors, or where it is for none. What the system refuses is slower and not wrong.
pub(crate) fn stay_on(cpus: &[usize]) {
    if cpus.is_empty() {
        return;
    }
    // SAFETY: zeros are an empty set; the numbers come from such a set, so they are below its size; the set is only read.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        cpus.iter().for_each(|cpu| libc::CPU_SET(*cpu, &mut set));
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_and_kept_to_the_process() {
        let folder = std::env::temp_dir().join(format!("aspen-nodes-{}", std::process::id()));
        for (node, list) in [("node10", "8\n"), ("node0", "0-3\n"), ("node1", "4-5,7\n"), ("node2", "\n"), ("power", "0\n")] {
            fs::create_dir_all(folder.join(node)).expect("a scratch folder");
            fs::write(folder.join(node).join("cpulist"), list).expect("written");
        }
        let check = |allowed: &[usize], expected: &[&[usize]]| {
            let expected = Nodes(expected.iter().map(|cpus| cpus.to_vec()).collect());
            assert_eq!(Nodes::of(&folder, allowed), expected);
        };
        check(&[0, 1, 2, 3, 4, 5, 6, 7, 8], &[&[0, 1, 2, 3], &[4, 5, 7], &[8]]);
        check(&[2, 4], &[&[2], &[4]]);
        check(&[3], &[&[3]]);
        fs::remove_dir_all(&folder).expect("our own folder");
        check(&[3], &[]);
    }

    #[test]
    fn a_thread_stays_where_it_is_put() {
        let some = allowed();
        assert!(!some.is_empty());
        let last = vec![some[some.len() - 1]];
        let seen = std::thread::spawn({
            let last = last.clone();
            move || {
                stay_on(&last);
                allowed()
            }
        });
        assert_eq!(seen.join().expect("it ends"), last);
        assert_eq!(allowed(), some, "only that thread");
    }
}
