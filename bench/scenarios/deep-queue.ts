import { type CallTimes, formatTimes } from '../call-times.ts';
import { fillQueue } from '../deep-queue/fill-queue.ts';
import { addOrganizations } from '../deep-queue/organizations.ts';
import { timeQueueCalls, timeTotals } from '../deep-queue/queue-calls.ts';
import { Entrant } from '../deep-queue/turns.ts';
import { percentilesOf } from '../load.ts';
import { type BenchGateway, startBenchGateway, startHelper, takenPerSecond } from '../processes.ts';
import { megabytes, perSecond, type Table } from '../report.ts';

const ORGANIZATIONS = 1_000;
const NUMBERS = 5;
const FEW = 1_000;
const TURNS = 3;

/**
 * Compares a gateway whose queue holds `messages` with the same gateway whose queue holds 1,000, in turns: the rate of dispatch, the time
 * until the first message leaves, and memory. Measures the calls that show the long queue.
 */
export async function deepQueue({
  seconds = 10,
  messages = 10_000_000,
}: {
  seconds?: number;
  messages?: number;
}): Promise<Table> {
  const sink = await startHelper('upstream-sink.ts', String(NUMBERS));
  const gateways: BenchGateway[] = [];
  try {
    const first = await startBenchGateway(sink.port);
    gateways.push(first);
    note(`adding ${ORGANIZATIONS.toLocaleString('en')} organizations …`);
    const tenants = await addOrganizations(first, ORGANIZATIONS);
    await first.halt();
    const second = await first.copy();
    gateways.push(second);
    const entrantWith = async (gateway: BenchGateway, count: number) => {
      note(`filling in ${count.toLocaleString('en')} messages …`);
      await gateway.resume({ ROLES: 'api' });
      const startedAt = performance.now();
      await fillQueue(gateway, tenants, count);
      const fillSeconds = (performance.now() - startedAt) / 1000;
      await gateway.halt();
      return { entrant: new Entrant(gateway, sink, tenants, count), fillSeconds };
    };
    const few = await entrantWith(second, FEW);
    const deep = await entrantWith(first, messages);
    await takeTurns(few.entrant, deep.entrant, seconds);
    await deep.entrant.start();
    const totalsMs = await timeTotals(first);
    const calls = await timeQueueCalls(first);
    const draining = await takenPerSecond(sink, seconds);
    await deep.entrant.halt();
    return tableOf([few.entrant, deep.entrant], { messages, fillSeconds: deep.fillSeconds, totalsMs, calls, draining });
  } finally {
    for (const gateway of gateways) await gateway.stop();
    await sink.stop();
  }
}

/** Measures both gateways, one after the other, three times. */
async function takeTurns(few: Entrant, deep: Entrant, seconds: number): Promise<void> {
  for (let turn = 1; turn <= TURNS; turn += 1) {
    for (const entrant of [few, deep]) {
      entrant.starts.push(...(await entrant.start()));
      await entrant.measure(seconds);
      note(`turn ${turn} of ${TURNS}: ${perSecond(entrant.rates.at(-1) ?? 0)}`);
      // A queue of 1,000 would be empty before the next turn.
      if (entrant === deep) {
        await entrant.halt('SIGKILL');
        entrant.startsAfterKill.push(...(await entrant.start()));
      }
      await entrant.halt();
    }
  }
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

function tableOf(
  entrants: readonly Entrant[],
  found: { messages: number; fillSeconds: number; totalsMs: number | undefined; calls: CallTimes[]; draining: number },
): Table {
  const [few, deep] = entrants.map(({ rates }) => percentilesOf(rates)(0.5));
  const row = (what: string, cell: (entrant: Entrant) => string) => [what, ...entrants.map(cell)];
  const seconds = (times: readonly number[]) => times.map((ms) => (ms / 1000).toFixed(2)).join(', ');
  const cost = ({ cost }: Entrant, part: 'gateway' | 'database') =>
    `${Math.round((cost[part] / cost.messages) * 1e6)} µs`;
  return {
    header: ['with so many waiting', ...[FEW, found.messages].map((count) => count.toLocaleString('en'))],
    rows: [
      row('dispatch, in turns', ({ rates }) => rates.map(perSecond).join(', ')),
      ['ratio of the medians', '', ((deep ?? Number.NaN) / (few ?? Number.NaN)).toFixed(3)],
      row('CPU a message, gateway', (entrant) => cost(entrant, 'gateway')),
      row('CPU a message, PostgreSQL', (entrant) => cost(entrant, 'database')),
      row('start to first dispatch, s', ({ starts }) => seconds(starts)),
      row('the same after SIGKILL, s', ({ startsAfterKill }) => seconds(startsAfterKill)),
      row('memory of the gateway at its highest', ({ highestMemory }) => megabytes(highestMemory)),
      row('sends not accepted', ({ refused }) => String(refused)),
      ['dispatch, nothing accepted', '', perSecond(found.draining)],
      [
        'totals of the queue, first count',
        '',
        found.totalsMs === undefined ? 'not within a minute' : `${found.totalsMs.toFixed(1)} ms`,
      ],
      ...found.calls.map((times) => [`${times.what}: first / p50 / slowest after`, '', formatTimes(times)]),
    ],
    notes: [`Filled in ${found.fillSeconds.toFixed(0)} s.`],
  };
}
