//! What LLVM made for one target of a link, for the next one: 22 GPUs of one vendor take the same SPIR-V. And what it made in one link, for
//! the next one: most kernels of a program stay as they are when it is linked again.

use std::collections::HashMap;

use aspen_llvm::{Generated, Job, Output};

use crate::cache::{Cache, CodeOf};

/// Code of a link's images, by all that it depends on.
#[derive(Debug, Default)]
pub struct Earlier {
    generated: HashMap<blake3::Hash, Generated>,
    kept: Option<(Cache, CodeOf)>,
}

impl Earlier {
    /// What the program in that file, which is this one, made for earlier links is there too.
    pub fn kept_in(cache: Cache, program: &std::path::Path) -> Earlier {
        Earlier { generated: HashMap::new(), kept: CodeOf::program(program).map(|code_of| (cache, code_of)) }
    }

    /// What decides a job's result: everything but the image's name, which is for messages. `None` for code that is of one target anyway.
    fn key(job: &Job) -> Option<blake3::Hash> {
        let Job { name: _, bitcode, passes, debug, opt_level, output } = job;
        let Output::SpirV { extensions, pointer_extensions } = output else { return None };
        let words = format!("{passes:?} {debug} {opt_level} {extensions:?} {pointer_extensions:?}");
        Some(blake3::Hasher::new().update(&(words.len() as u64).to_le_bytes()).update(words.as_bytes()).update(bitcode).finalize())
    }

    /// Has `generate` make what was not made before; results in the order of the jobs.
    pub(crate) fn complete<E>(
        &mut self,
        jobs: Vec<Job>,
        done: &mut dyn FnMut(usize),
        generate: impl FnOnce(&[Job], &mut dyn FnMut(usize)) -> Vec<Result<Generated, E>>,
    ) -> Vec<Result<Generated, E>> {
        let keys: Vec<Option<blake3::Hash>> = jobs.iter().map(Earlier::key).collect();
        let known: Vec<bool> = keys.iter().map(|key| key.is_some_and(|key| self.knows(&key))).collect();
        let new: Vec<Job> = jobs.into_iter().zip(&known).filter(|(_, known)| !**known).map(|(job, _)| job).collect();
        let before = keys.len() - new.len();
        done(before);
        let mut made = generate(&new, &mut |count| done(before + count)).into_iter();
        drop(new);
        let mut next = |(key, known): (&Option<blake3::Hash>, bool)| match key {
            Some(key) if known => Ok(self.generated[key].clone()),
            Some(key) => made.next().expect("one result a job").inspect(|made| self.keep(*key, made)),
            None => made.next().expect("one result a job"),
        };
        keys.iter().zip(known).map(&mut next).collect()
    }

    fn knows(&mut self, key: &blake3::Hash) -> bool {
        let kept = || self.kept.as_ref().and_then(|(cache, code_of)| cache.load_code(code_of, key));
        if !self.generated.contains_key(key)
            && let Some(bytes) = kept()
        {
            self.generated.insert(*key, Generated { bytes, messages: String::new() });
        }
        self.generated.contains_key(key)
    }

    fn keep(&mut self, key: blake3::Hash, made: &Generated) {
        // What LLVM has to say must be said each time.
        if let Some((cache, code_of)) = self.kept.as_ref().filter(|_| made.messages.is_empty()) {
            cache.store_code(code_of, &key, &made.bytes);
        }
        self.generated.insert(key, made.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(name: &str, bitcode: &str, opt_level: u8, is_spirv: bool) -> Job {
        let output = if is_spirv {
            Output::SpirV { extensions: vec!["a".into()], pointer_extensions: Vec::new() }
        } else {
            Output::Ptx(aspen_llvm::Ptx { processor: c"sm_90".into(), features: c"+ptx80".into(), library: None, work_group: None })
        };
        Job { name: name.into(), bitcode: bitcode.into(), passes: String::new(), debug: false, opt_level, output }
    }

    #[test]
    fn what_was_made_is_not_made_again() {
        let mut earlier = Earlier::default();
        let mut check = |jobs: &[Job], expected_made: &[&str], expected: &[Result<&str, &str>], told: &[usize]| {
            let (mut names, mut counts) = (Vec::new(), Vec::new());
            let results = earlier.complete(jobs.to_vec(), &mut |count| counts.push(count), |jobs, done| {
                names = jobs.iter().map(|job| job.name.clone()).collect();
                let result = |(index, job): (usize, &Job)| {
                    done(index + 1);
                    let bytes = [job.bitcode.as_slice(), b" by ", job.name.as_bytes()].concat();
                    if job.bitcode == b"bad" { Err(job.name.clone()) } else { Ok(Generated { bytes, messages: String::new() }) }
                };
                jobs.iter().enumerate().map(result).collect()
            });
            let results: Vec<_> =
                results.iter().map(|result| result.as_ref().map(|made| made.bytes.clone()).map_err(String::as_str)).collect();
            let expected: Vec<_> = expected.iter().map(|result| result.map(|text| text.as_bytes().to_vec())).collect();
            assert_eq!(
                (names.iter().map(String::as_str).collect::<Vec<_>>(), results, counts),
                (expected_made.to_vec(), expected, told.to_vec())
            );
        };
        let (a, b, bad) = (job("a", "x", 2, true), job("b", "y", 2, true), job("c", "bad", 2, true));
        check(&[a.clone(), bad.clone()], &["a", "c"], &[Ok("x by a"), Err("c")], &[0, 1, 2]);
        check(&[b, job("d", "x", 2, true), bad], &["b", "c"], &[Ok("y by b"), Ok("x by a"), Err("c")], &[1, 2, 3]);
        check(&[job("e", "x", 3, true), job("f", "x", 2, false)], &["e", "f"], &[Ok("x by e"), Ok("x by f")], &[0, 1, 2]);
        check(&[job("g", "x", 2, false)], &["g"], &[Ok("x by g")], &[0, 1]);
        check(&[a], &[], &[Ok("x by a")], &[1]);
    }

    #[test]
    fn another_link_of_the_same_program_finds_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = folder.path().join("program");
        std::fs::write(&program, "this release").expect("writable");
        let run = |jobs: &[Job], expected_made: usize| {
            let mut earlier = Earlier::kept_in(Cache::new(folder.path().join("cache"), None), &program);
            let mut made = 0;
            let results = earlier.complete(jobs.to_vec(), &mut |_| {}, |jobs, _| {
                made = jobs.len();
                let messages = |job: &Job| if job.name == "loud" { "mind the gap".to_owned() } else { String::new() };
                jobs.iter().map(|job| Ok::<_, ()>(Generated { bytes: job.bitcode.clone(), messages: messages(job) })).collect()
            });
            let results: Vec<_> = results.into_iter().map(|result| result.expect("made").bytes).collect();
            assert_eq!(results, jobs.iter().map(|job| job.bitcode.clone()).collect::<Vec<_>>());
            assert_eq!(made, expected_made);
        };
        let jobs = [job("a", "x", 2, true), job("b", "y", 2, true), job("loud", "z", 2, true), job("c", "x", 2, false)];
        run(&jobs, 4);
        run(&jobs, 2);
        run(&[job("d", "y", 2, true), job("e", "y", 1, true), job("f", "new", 2, true)], 2);
        std::fs::write(&program, "another release").expect("writable");
        run(&jobs, 4);
    }
}
