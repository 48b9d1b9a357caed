//! The ahead-of-time part of a link as a graph beside the link's own jobs, caches beside none, and what a large program would take on many
//! workers (`simulation.rs`), from the times of the jobs that were measured. Source: issue 17 "How fast" and point 8.

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::propagate::Numbers;
use super::simulation::{Job, Machines, Order, simulate};
use super::{Bench, best_of, ratio, timed};
use crate::matrix::DEVICES;
use crate::shell::{find_program, output};

/// Seven kernels with one need each.
const SOURCE: &str = "tests/services/slurm.cpp";
const KERNELS: usize = 7;
/// A cold link takes a quarter of a minute, a warm one none of a second.
const TURNS: usize = 3;
const MANY_TURNS: usize = 9;

/// The program that is simulated: what DPC++'s users report of their largest ones, for all of S4's GPUs.
const MANY_KERNELS: usize = 13_000;
const WORKERS: [usize; 4] = [1, 16, 256, 4096];
/// Assumed: a network of 10 Gbit/s before one store.
const STORE: f64 = 1.25e9;
/// Assumed: what a batch system needs to start a job, one after the other. Ninja alone is measured.
const LAUNCHER: Duration = Duration::from_millis(20);
/// What a batch has to do at least.
const BATCH: Duration = Duration::from_secs(20);
/// Assumed in the second program: so many jobs, and each by how much, are larger than what was measured.
const LARGE: (usize, u32) = (1000, 300);

impl Bench<'_> {
    pub(super) fn graph(&self) -> Result<()> {
        ensure!(find_program("ocloc").is_some(), "ocloc is missing; the Debian package intel-opencl-icd brings it");
        let source = self.root.join(SOURCE);
        let source = source.to_str().context("the repository's path is no UTF-8")?;
        let targets = format!("-fsycl-targets={}", DEVICES.map(|device| format!("intel_gpu_{device}")).join(","));
        output(&mut self.aspenxx(&["-w", &targets, "-c", source, "-o", "p.o"]))?;
        let link = |more: &[&str]| {
            let mut command = self.aspenxx(&["-w", "-fsycl-device-code-split=per_kernel", "-j2", "p.o", "-o", "a.out"]);
            command.args(more).env("ASPEN_CACHE", "0").env_remove("ASPEN_CACHE_REMOTE");
            command
        };
        let graph = |jobs: &str| -> Result<Duration> {
            self.forget("graph")?;
            let written = timed(&mut link(&["-fsycl-aot-graph=graph"]))?;
            Ok(written + timed(Command::new("ninja").args(["-C", "graph", jobs]).current_dir(&self.folder))?)
        };
        let [ours, own] = best_of(TURNS, [&mut || graph("-j2"), &mut || timed(&mut link(&[]))])?;
        ratio("graph-ninja-j2", ours, own);

        let cache = self.folder.join("cache");
        let redis = Redis::start(&self.folder)?;
        let kept = |remote: &str| {
            let mut command = link(&[]);
            command.env("ASPEN_CACHE", "1").env("ASPEN_CACHE_DIR", &cache).env("ASPEN_CACHE_REMOTE", remote);
            command
        };
        self.forget("store")?;
        std::fs::create_dir_all(self.folder.join("store"))?;
        for (name, store) in [("folder", format!("file://{}", self.folder.join("store").display())), ("redis", redis.url())] {
            self.forget("cache")?;
            output(&mut kept(&store))?;
            if name == "folder" {
                let [warm] = best_of(MANY_TURNS, [&mut || timed(&mut kept(""))])?;
                ratio("graph-warm-cache", warm, own);
            }
            // A machine that has linked nothing yet, and does not know its compiler either.
            let [other] = best_of(
                MANY_TURNS,
                [&mut || {
                    self.forget("cache")?;
                    timed(&mut kept(&store))
                }],
            )?;
            ratio(&format!("graph-warm-{name}-of-another-machine"), other, own);
        }
        drop(redis);

        output(&mut self.aspenxx(&["-w", &targets, "-E", source, "-o", "p.ii"]))?;
        let compile = |input: &str| self.aspenxx(&["-w", "-fno-sycl-auto-pch", &targets, "-c", input, "-o", "q.o"]);
        let [text, whole] = best_of(TURNS, [&mut || timed(&mut compile("p.ii")), &mut || timed(&mut compile(source))])?;
        ratio("graph-preprocessed", text, whole);

        graph("-j1")?;
        self.simulated()
    }

    fn forget(&self, folder: &str) -> Result<()> {
        crate::install::forget(&self.folder.join(folder))
    }

    /// From the log of the graph's last run, whose jobs ran alone.
    fn simulated(&self) -> Result<()> {
        let folder = self.folder.join("graph");
        let log = std::fs::read_to_string(folder.join(".ninja_log")).context("ninja wrote no log")?;
        let (jobs, whole) = measured(&log, &folder)?;
        ensure!(!jobs.is_empty(), "no job is in ninja's log");
        let sum: Duration = jobs.iter().map(|job| job.runs).sum();
        let count = u32::try_from(jobs.len())?;
        let ninja = whole.saturating_sub(sum) / count;
        println!("graph-jobs count={count} ns={} start-ns={}", (sum / count).as_nanos(), ninja.as_nanos());
        let many = many(&jobs, MANY_KERNELS * jobs.len() / KERNELS);
        let large: Vec<Job> =
            many.iter().enumerate().map(|(at, job)| if at % LARGE.0 == LARGE.0 / 2 { larger(*job) } else { *job }).collect();
        for (name, jobs) in [("even", &many), ("large", &large)] {
            for (launcher, start) in [("ninja", ninja), ("launcher", LAUNCHER)] {
                for workers in WORKERS {
                    let machines = Machines { workers, start, store: STORE };
                    for (order, how) in
                        [("written", Order::Written), ("longest-first", Order::LongestFirst), ("batched", Order::Batched(BATCH))]
                    {
                        let outcome = simulate(jobs, &machines, how);
                        let (takes, limit) = (outcome.takes.as_nanos(), outcome.limit());
                        println!("simulated-{name}-{launcher}-{workers}-{order} ns={takes} limit={limit}");
                    }
                }
            }
        }
        Ok(())
    }
}

/// A server on this machine for the time of the bench.
struct Redis {
    server: Child,
    port: u16,
}

impl Redis {
    fn start(folder: &Path) -> Result<Redis> {
        ensure!(find_program("redis-server").is_some(), "redis-server is missing; the Debian package of that name brings it");
        // Free a moment ago, so most likely still.
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let words = ["--bind", "127.0.0.1", "--save", "", "--port", &port.to_string()];
        let server = Command::new("redis-server").args(words).current_dir(folder).stdout(Stdio::null()).spawn()?;
        let redis = Redis { server, port };
        for _ in 0..100 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(redis);
            }
            thread::sleep(Duration::from_millis(50));
        }
        bail!("redis-server does not answer")
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// As many jobs as wanted, each as one of those measured.
fn many(jobs: &[Job], count: usize) -> Vec<Job> {
    let mut numbers = Numbers::new(1);
    (0..count).map(|_| jobs[numbers.below(jobs.len())]).collect()
}

fn larger(job: Job) -> Job {
    let by = u64::from(LARGE.1);
    Job { runs: job.runs * LARGE.1, input_bytes: job.input_bytes * by, output_bytes: job.output_bytes * by }
}

/// The jobs of a graph that ran, and how long all of them took. Inputs are taken for as large as results: both hold the same kernels.
/// Source: ninja's manual, "The Ninja log": begin and end in milliseconds, time of the file, the file, a hash.
fn measured(log: &str, folder: &Path) -> Result<(Vec<Job>, Duration)> {
    let mut runs = BTreeMap::new();
    for line in log.lines().filter(|line| !line.starts_with('#')) {
        let [begin, end, _, name, _] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        if name.starts_with("results/") {
            let [begin, end] = [begin, end].map(|text| text.parse::<u64>().map(Duration::from_millis));
            runs.insert(
                name,
                (begin.with_context(|| format!("ninja's log: {line}"))?, end.with_context(|| format!("ninja's log: {line}"))?),
            );
        }
    }
    let whole = runs.values().map(|(_, end)| *end).max().unwrap_or_default();
    let jobs = runs.into_iter().map(|(name, (begin, end))| {
        let bytes = std::fs::metadata(folder.join(name)).with_context(|| format!("the result {name} is not there"))?.len();
        Ok(Job { runs: end.saturating_sub(begin), input_bytes: bytes, output_bytes: bytes })
    });
    Ok((jobs.collect::<Result<_>>()?, whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_read_from_ninjas_log() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir_all(folder.path().join("results/a")).expect("ours");
        for (name, length) in [("results/a/1.result", 100), ("results/a/2.result", 7)] {
            std::fs::write(folder.path().join(name), vec![0; length]).expect("ours");
        }
        let log = "# ninja log v5\n3\t103\t9\tresults/a/1.result\tab\n110\t115\t9\tresults/a/2.result\tcd\n120\t300\t9\ta.out\tef\n";
        let (jobs, whole) = measured(log, folder.path()).expect("a log");
        let job = |millis, bytes| Job { runs: Duration::from_millis(millis), input_bytes: bytes, output_bytes: bytes };
        assert_eq!((jobs, whole), (vec![job(100, 100), job(5, 7)], Duration::from_millis(115)));
        assert!(measured("1\tx\t9\tresults/a/1.result\tab\n", folder.path()).is_err());
    }
}
