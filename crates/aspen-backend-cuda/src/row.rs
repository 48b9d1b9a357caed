//! The marks of a stream: which jobs are over once which mark is reached.
//!
//! A mark behind each job costs as much as a fifth of a launch, and far more while the driver has to make it. So jobs share one: it stands behind a
//! job for which somebody may ask alone, before the next one comes, and else behind every sixteenth, or behind what is there when somebody asks
//! (docs/decisions/0060). What a mark is, the row does not know.

use std::collections::VecDeque;
use std::sync::Weak;

/// So many jobs may share a mark when nobody asks.
const MOST: u64 = 16;

/// A job for which somebody may ask.
pub(crate) trait Awaited: Send + Sync {
    /// Whether somebody may ask for it, and for none behind it.
    fn is_awaited(&self) -> bool;
}

/// The jobs of a stream have numbers that grow.
pub(crate) struct Row<M> {
    /// The number of the last job that is there, and the job, while it lives.
    put: u64,
    last: Option<Weak<dyn Awaited>>,
    /// Up to that number all are over.
    over: u64,
    /// The number of the last job in front of each mark; they grow, and are above `over`.
    marks: VecDeque<(u64, M)>,
}

impl<M> Default for Row<M> {
    fn default() -> Self {
        Row { put: 0, last: None, over: 0, marks: VecDeque::new() }
    }
}

impl<M: Clone> Row<M> {
    /// A job came into the stream.
    pub(crate) fn put(&mut self, number: u64, job: Weak<dyn Awaited>) {
        self.put = self.put.max(number);
        self.last = Some(job);
    }

    /// How many at the end no mark is behind.
    fn unmarked(&self) -> u64 {
        self.put.saturating_sub(self.marks.back().map_or(self.over, |(number, _)| *number))
    }

    /// Whether a mark should stand behind the last job before another comes, which `follows` it or has nothing to do with it. Those that do not
    /// follow share none: one may run until the host has seen that the other is over.
    pub(crate) fn wants_mark(&self, follows: bool) -> bool {
        let is_awaited = || self.last.as_ref().and_then(Weak::upgrade).is_some_and(|job| job.is_awaited());
        match self.unmarked() {
            0 => false,
            MOST.. => true,
            _ => !follows || is_awaited(),
        }
    }

    /// Puts a mark behind all that is there; `record` does so in the stream.
    pub(crate) fn mark<E>(&mut self, record: impl FnOnce() -> Result<M, E>) -> Result<(), E> {
        self.marks.push_back((self.put, record()?));
        Ok(())
    }

    /// The first mark behind a job that is there and not over, and the number of the last job in front of it; where no mark is behind it, the
    /// number of the last job: then the end of the stream serves.
    pub(crate) fn sign_of(&self, number: u64) -> (u64, Option<M>) {
        let place = self.marks.partition_point(|(own, _)| *own < number);
        self.marks.get(place).map_or((self.put, None), |(own, mark)| (*own, Some(mark.clone())))
    }

    /// The same as a mark: a new one is recorded if there is none.
    pub(crate) fn behind<E>(&mut self, number: u64, record: impl FnOnce() -> Result<M, E>) -> Result<(u64, M), E> {
        if let (own, Some(mark)) = self.sign_of(number) {
            return Ok((own, mark));
        }
        let new = (self.put.max(number), record()?);
        self.marks.push_back(new.clone());
        Ok(new)
    }

    /// Whether it is known that a job is over.
    pub(crate) fn is_over(&self, number: u64) -> bool {
        number <= self.over
    }

    /// All up to that number are over; the marks between them, which nobody needs any more.
    pub(crate) fn note_over(&mut self, number: u64) -> impl Iterator<Item = M> {
        self.over = self.over.max(number);
        let reached = self.marks.partition_point(|(own, _)| *own <= self.over);
        self.marks.drain(..reached).map(|(_, mark)| mark)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    struct Job(AtomicBool);

    impl Awaited for Job {
        fn is_awaited(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    fn job(awaited: bool) -> Arc<Job> {
        Arc::new(Job(AtomicBool::new(awaited)))
    }

    /// Puts jobs `numbers` there, of which those in `awaited` are so until the next one comes; the numbers in front of the marks.
    fn marks(count: u64, awaited: &[u64]) -> Vec<u64> {
        let mut row = Row::<u64>::default();
        for number in 1..=count {
            if row.wants_mark(true) {
                let Ok(()) = row.mark(|| Ok::<_, Infallible>(number - 1));
            }
            let put = job(awaited.contains(&number));
            row.put(number, Arc::downgrade(&put) as Weak<dyn Awaited>);
            std::mem::forget(put);
        }
        row.marks
            .iter()
            .map(|(number, mark)| (*number, *mark))
            .inspect(|(number, mark)| assert_eq!(number, mark))
            .map(|(number, _)| number)
            .collect()
    }

    #[test]
    fn jobs_share_marks_unless_somebody_asks_for_them() {
        assert_eq!(marks(16, &[]), [0; 0]);
        assert_eq!(marks(40, &[]), [16, 32]);
        assert_eq!(marks(20, &[3, 4]), [3, 4]);
        assert_eq!(marks(22, &[3, 4, 22]), [3, 4, 20]);
    }

    #[test]
    fn who_lets_go_in_time_gets_no_mark() {
        let (mut row, asked) = (Row::<u64>::default(), job(true));
        row.put(1, Arc::downgrade(&asked) as Weak<dyn Awaited>);
        assert!(row.wants_mark(true));
        asked.0.store(false, Ordering::Relaxed);
        assert!(!row.wants_mark(true));
        // One that is gone asks for nothing.
        let gone = job(true);
        row.put(2, Arc::downgrade(&gone) as Weak<dyn Awaited>);
        drop(gone);
        assert!(!row.wants_mark(true));
    }

    #[test]
    fn strangers_share_no_mark() {
        let (mut row, left) = (Row::<u64>::default(), job(false));
        assert!(!row.wants_mark(false), "nothing is there");
        row.put(1, Arc::downgrade(&left) as Weak<dyn Awaited>);
        assert!(row.wants_mark(false) && !row.wants_mark(true));
        let Ok(()) = row.mark(|| Ok::<_, Infallible>(1));
        assert!(!row.wants_mark(false), "there is one");
    }

    #[test]
    fn the_first_mark_behind_a_job_tells_of_all_before() {
        let mut row = Row::<char>::default();
        let put = job(false);
        let come = |row: &mut Row<char>, number| row.put(number, Arc::downgrade(&put) as Weak<dyn Awaited>);
        (1..=3).for_each(|number| come(&mut row, number));
        let Ok(first) = row.behind(2, || Ok::<_, Infallible>('a'));
        assert_eq!(first, (3, 'a'));
        (4..=6).for_each(|number| come(&mut row, number));
        let Ok(second) = row.behind(4, || Ok::<_, Infallible>('b'));
        assert_eq!(second, (6, 'b'));
        // Those that are there serve.
        let Ok(again) = row.behind(1, || -> Result<char, Infallible> { unreachable!("there is one") });
        assert_eq!(again, (3, 'a'));
        assert!(!row.is_over(1));
        assert_eq!(row.note_over(3).collect::<String>(), "a");
        assert!(row.is_over(3) && !row.is_over(4));
        assert_eq!(row.note_over(1).count(), 0);
        assert!(row.is_over(3));
        assert_eq!(row.note_over(6).collect::<String>(), "b");
        assert_eq!(row.unmarked(), 0);
    }
}
