import { SendLimits } from '../src/simulator/index.ts';
import { takeOwnProcessorTime } from './own-processor-time.ts';
import { Standstills } from './standstills.ts';
import { listenAsUpstream, numberIdAt } from './upstream-server.ts';

// An upstream that enforces limits as the simulated platform does. Its numbers have the given throughput level and accept no more within
// any second than the given limits. It logs the arrivals of each number. It refuses only certain excess: arrivals during its own standstill
// do not count against messages a second later.

/** A number's arrivals since the log was opened. */
interface Arrivals {
  count: number;
  firstMs: number;
  lastMs: number;
}

// Without this, arrivals that wait for a processor would be read in a bunch.
takeOwnProcessorTime();

const [level, ...limits] = process.argv.slice(2);
const limitOf = new Map(limits.map((limit, index) => [numberIdAt(index), Number(limit)]));
const standstills = new Standstills();
const referee = new SendLimits();
const book = new Map<string, Arrivals>();
/** Messages whose arrival time is not known to the millisecond. */
let unsure = 0;
const refused = { throughput: 0, pair: 0 };
const port = await listenAsUpstream({
  numbers: limits.length,
  throughputLevel: level === 'HIGH' ? 'HIGH' : 'STANDARD',
  take({ phoneNumberId, to, atMs }) {
    const sinceMs = standstills.earliest(atMs);
    if (sinceMs < atMs) unsure += 1;
    const verdict = referee.admit(phoneNumberId, to, limitOf.get(phoneNumberId) ?? 0, atMs, sinceMs);
    if (verdict.kind !== 'admitted') {
      refused[verdict.kind] += 1;
      return verdict.kind === 'pair' ? 131056 : 130429;
    }
    const arrivals = book.get(phoneNumberId);
    if (arrivals === undefined) book.set(phoneNumberId, { count: 1, firstMs: atMs, lastMs: atMs });
    else {
      arrivals.count += 1;
      arrivals.lastMs = atMs;
    }
    return null;
  },
});

/** Answers both questions with the log; `open` also clears it. */
process.on('message', (question) => {
  const numbers = Array.from(book, ([id, { count, firstMs, lastMs }]) => ({
    id,
    count,
    seconds: (lastMs - firstMs) / 1000,
  }));
  process.send?.({ numbers, refused, unsure });
  if (question === 'open') book.clear();
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port });
