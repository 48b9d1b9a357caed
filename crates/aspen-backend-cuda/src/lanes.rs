//! The streams that work takes turns over, and marks in them.
//!
//! A job follows the last one that it waits for in that one's stream, as long as nobody else did: then the stream keeps the order. Other jobs
//! take the next stream in turn, and the stream waits for the marks of what they wait for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Instant;

use crate::sys::{self, CUevent, CUstream};

use crate::driver::{Made, Stream, Tried, is_ready, lock, tried};
use crate::row::{Awaited, Row};

/// How many streams there are; the hardware has that many queues unless it is told otherwise.
pub(crate) const LANES: usize = 8;

/// After so long a mark of the clock is renewed: the driver tells distances as floats of milliseconds.
const EPOCH_NS: u64 = 1_000_000_000;

/// A device's streams.
#[derive(Default)]
pub(crate) struct Lanes {
    streams: Made<Vec<Lane>>,
    next: AtomicUsize,
    plain: Marks,
    timed: Marks,
    clock: Mutex<Option<Epoch>>,
}

/// A stream, the number of the last job that has a place in it, and the marks between those that are there.
struct Lane {
    stream: Stream,
    last: Mutex<u64>,
    row: Mutex<Row<Arc<Mark>>>,
}

/// A job's place: a stream, and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Place {
    pub(crate) lane: usize,
    pub(crate) number: u64,
}

/// The right to put the next job into a stream.
pub(crate) struct Turn<'a> {
    lane: usize,
    /// Whether what is there is what the job waits for.
    pub(crate) follows: bool,
    pub(crate) stream: CUstream,
    last: MutexGuard<'a, u64>,
}

impl<'a> Turn<'a> {
    /// The stream's index.
    pub(crate) fn lane(&self) -> usize {
        self.lane
    }

    /// The job's place; it comes there before the guard is dropped.
    pub(crate) fn take(mut self) -> (Place, MutexGuard<'a, u64>) {
        *self.last += 1;
        (Place { lane: self.lane, number: *self.last }, self.last)
    }
}

/// A moment by which the device's clock is told.
struct Epoch {
    mark: Mark,
    /// Nanoseconds of the device's clock.
    at: u64,
    host: Instant,
}

impl Lanes {
    fn streams(&self) -> Tried<&[Lane]> {
        let create = || Stream::create().map(|stream| Lane { stream, last: Mutex::new(0), row: Mutex::default() });
        self.streams.get_or_make(|| (0..LANES).map(|_| create()).collect()).map(Vec::as_slice)
    }

    /// Makes the streams, and as many marks as a first few jobs want.
    pub(crate) fn get_ready(&self) -> Tried<()> {
        self.streams()?;
        let marks = (0..LANES).map(|_| self.mark(false)).collect::<Tried<Vec<Arc<Mark>>>>()?;
        marks.into_iter().for_each(|mark| self.recycle(mark, false));
        Ok(())
    }

    /// A turn behind one of those places if it is its stream's last, the latest first; else in the next stream, or if nothing is in flight in
    /// the one that came last: the driver is slower with one that it has not used for a while.
    pub(crate) fn turn(&self, behind: impl DoubleEndedIterator<Item = Place>, is_idle: bool) -> Tried<Turn<'_>> {
        let streams = self.streams()?;
        for place in behind.rev() {
            let Lane { stream, last, .. } = &streams[place.lane];
            let last = lock(last);
            if *last == place.number {
                return Ok(Turn { lane: place.lane, follows: true, stream: stream.0, last });
            }
        }
        let next = if is_idle { self.next.load(Ordering::Relaxed) } else { self.next.fetch_add(1, Ordering::Relaxed) + 1 };
        let lane = next % streams.len();
        Ok(Turn { lane, follows: false, stream: streams[lane].stream.0, last: lock(&streams[lane].last) })
    }

    /// The stream of a job, if that is the last one there.
    pub(crate) fn stream_behind(&self, place: Place) -> Option<CUstream> {
        let Lane { stream, last, .. } = self.streams().ok()?.get(place.lane)?;
        (*lock(last) == place.number).then_some(stream.0)
    }

    /// Returns when all is over that is in the streams; for what must not be freed before.
    pub(crate) fn finish(&self) -> Tried<()> {
        match self.streams.get() {
            Some(streams) => streams.iter().try_for_each(|lane| lane.stream.finish()),
            None => Ok(()),
        }
    }

    /// Makes a stream wait for all that is in the others.
    pub(crate) fn before(&self, stream: CUstream) -> Tried<()> {
        let Some(streams) = self.streams.get() else { return Ok(()) };
        let used = |lane: &&Lane| *lock(&lane.last) > 0;
        streams.iter().filter(used).try_for_each(|lane| {
            let mark = self.mark(false)?;
            mark.record(lane.stream.0)?;
            mark.hold_back(stream)?;
            self.recycle(mark, false);
            Ok(())
        })
    }

    fn lane(&self, place: Place) -> Tried<&Lane> {
        self.streams().map(|streams| &streams[place.lane])
    }

    /// A mark behind all that is in a stream.
    fn recorded(&self, stream: &Stream) -> Tried<Arc<Mark>> {
        let mark = self.mark(false)?;
        mark.record(stream.0)?;
        Ok(mark)
    }

    /// Marks the end of what is in the stream so far, if that is due. Before a job is put there, which `follows` that or has nothing to do with it.
    pub(crate) fn mark_end(&self, place: Place, follows: bool) -> Tried<()> {
        let Lane { stream, row, .. } = self.lane(place)?;
        let mut row = lock(row);
        if !row.wants_mark(follows) {
            return Ok(());
        }
        match row.mark(|| self.recorded(stream)) {
            Err(failure) if failure.loses_the_context() => Err(failure),
            // Whoever asks gets a later one.
            Err(_) | Ok(()) => Ok(()),
        }
    }

    /// Notes that the job of this place is in its stream.
    pub(crate) fn note_put(&self, place: Place, job: Weak<dyn Awaited>) -> Tried<()> {
        lock(&self.lane(place)?.row).put(place.number, job);
        Ok(())
    }

    /// Whether a job is over that is in its stream. Behind the last ones there is no mark, and none is made: the stream says whether it is at its end,
    /// which saves the driver's time for recording one. If another job comes meanwhile, it puts one there first.
    pub(crate) fn is_over(&self, place: Place) -> Tried<bool> {
        let Lane { stream, row, .. } = self.lane(place)?;
        let (number, mark) = {
            let row = lock(row);
            if row.is_over(place.number) {
                return Ok(true);
            }
            row.sign_of(place.number)
        };
        // Without the lock, which who puts jobs there wants. A mark that another thread has found reached meanwhile may be another job's by now: then
        // it is not reached, at worst.
        let is_reached = mark.map_or_else(|| stream.is_at_end(), |mark| mark.is_reached())?;
        if is_reached {
            let mut row = lock(row);
            lock(&self.plain.0).extend(row.note_over(number));
        }
        Ok(is_reached)
    }

    /// Makes a stream wait for a job that is in another.
    pub(crate) fn hold_back(&self, stream: CUstream, place: Place) -> Tried<()> {
        let Lane { stream: own, row, .. } = self.lane(place)?;
        let mut row = lock(row);
        if row.is_over(place.number) {
            return Ok(());
        }
        // Under the lock: as long as nobody says that the mark is reached it is no other job's.
        row.behind(place.number, || self.recorded(own))?.1.hold_back(stream)
    }

    /// A mark for a stream of the current context. One that is `timed` tells when it was reached.
    pub(crate) fn mark(&self, timed: bool) -> Tried<Arc<Mark>> {
        let marks = if timed { &self.timed } else { &self.plain };
        let spare = lock(&marks.0).pop();
        spare.map_or_else(|| Mark::create(timed).map(Arc::new), Ok)
    }

    /// Gives back a mark that no stream is asked for any more. What waits for it in a stream goes on doing so.
    pub(crate) fn recycle(&self, mark: Arc<Mark>, timed: bool) {
        let marks = if timed { &self.timed } else { &self.plain };
        lock(&marks.0).push(mark);
    }

    /// What the device's clock would say now, as nearly as the host knows.
    pub(crate) fn now(&self) -> Tried<u64> {
        let mut clock = lock(&self.clock);
        let elapsed = |epoch: &Epoch| u64::try_from(epoch.host.elapsed().as_nanos()).unwrap_or(u64::MAX);
        match &*clock {
            Some(epoch) if elapsed(epoch) < EPOCH_NS => Ok(epoch.at + elapsed(epoch)),
            old => {
                let mark = Mark::create(true)?;
                // A stream of its own, which is idle: the mark is reached at once.
                let stream = Stream::create()?;
                mark.record(stream.0)?;
                stream.finish()?;
                let host = Instant::now();
                let at = old.as_ref().map_or(Ok(1), |old| Ok(old.at.saturating_add_signed(mark.since(&old.mark)?)))?;
                *clock = Some(Epoch { mark, at, host });
                Ok(at)
            }
        }
    }

    /// When a timed mark was reached, in nanoseconds of the device's clock.
    pub(crate) fn time(&self, mark: &Mark) -> Tried<u64> {
        let clock = lock(&self.clock);
        let Some(epoch) = &*clock else { return Ok(0) };
        Ok(epoch.at.saturating_add_signed(mark.since(&epoch.mark)?))
    }
}

/// Marks that nobody uses at the moment.
#[derive(Default)]
struct Marks(Mutex<Vec<Arc<Mark>>>);

/// An event of the driver's.
#[derive(Debug)]
pub(crate) struct Mark(CUevent);

// SAFETY: the driver's events may be used by every thread.
unsafe impl Send for Mark {}
// SAFETY: as above.
unsafe impl Sync for Mark {}

impl Mark {
    /// In the current context.
    fn create(timed: bool) -> Tried<Mark> {
        // None that lets the system wake who waits: recording and waiting for such takes several times as long.
        let flags = if timed { 0 } else { sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32 };
        let mut raw = std::ptr::null_mut();
        // SAFETY: room for the answer.
        tried("cuEventCreate", unsafe { sys::cuEventCreate(&mut raw, flags) })?;
        Ok(Mark(raw))
    }

    /// Puts it behind all that is in the stream, which is of the same context.
    pub(crate) fn record(&self, stream: CUstream) -> Tried<()> {
        // SAFETY: an event of ours and a stream that is alive.
        tried("cuEventRecord", unsafe { sys::cuEventRecord(self.0, stream) })
    }

    /// Holds back what is put into the stream from now on until the mark is reached.
    pub(crate) fn hold_back(&self, stream: CUstream) -> Tried<()> {
        // SAFETY: as above; no flags.
        tried("cuStreamWaitEvent", unsafe { sys::cuStreamWaitEvent(stream, self.0, 0) })
    }

    /// Whether it is reached.
    pub(crate) fn is_reached(&self) -> Tried<bool> {
        // SAFETY: as above.
        is_ready(tried("cuEventQuery", unsafe { sys::cuEventQuery(self.0) }))
    }

    /// Returns when it is reached, and what kernels before it have printed is written: a question does not make the driver do so.
    pub(crate) fn finish(&self) -> Tried<()> {
        // SAFETY: as above.
        tried("cuEventSynchronize", unsafe { sys::cuEventSynchronize(self.0) })
    }

    /// Nanoseconds from another mark to this one; both are reached.
    pub(crate) fn since(&self, other: &Mark) -> Tried<i64> {
        let mut milliseconds = 0.0;
        // SAFETY: two timed events of ours, and room for the answer.
        tried("cuEventElapsedTime", unsafe { sys::cuEventElapsedTime(&mut milliseconds, other.0, self.0) })?;
        Ok((f64::from(milliseconds) * 1e6) as i64)
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // SAFETY: ours. See `Context` for failures.
        let _gone = unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}
