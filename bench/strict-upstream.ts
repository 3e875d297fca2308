import { SendLimits } from '../src/simulator/index.ts';
import { takeOwnProcessorTime } from './own-processor-time.ts';
import { Standstills } from './standstills.ts';
import { listenAsUpstream, numberIdAt } from './upstream-server.ts';

// An upstream that counts as the simulated platform does, and nothing else: numbers of the throughput level given, which take no
// more within any second than the limits given say, and a book of when each number's messages arrived. It refuses what is surely too
// much: what came while it stood still itself is not held against those that came a second later.

/** What arrived from a number since the book was opened. */
interface Arrivals {
  count: number;
  firstMs: number;
  lastMs: number;
}

// What waits for a processor here would count as having arrived in a bunch.
takeOwnProcessorTime();

const [level, ...limits] = process.argv.slice(2);
const limitOf = new Map(limits.map((limit, index) => [numberIdAt(index), Number(limit)]));
const standstills = new Standstills();
const referee = new SendLimits();
const book = new Map<string, Arrivals>();
/** Messages of which it is not known to the millisecond when they arrived. */
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

/** `open` begins the book anew; both questions are answered with what is in it. */
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
