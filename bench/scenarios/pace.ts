import { percentilesOf, putLoad } from '../load.ts';
import { ask, type BenchGateway, type BenchProcess, pause, pauseAll, withGateway } from '../processes.ts';
import { type Line, perSecond } from '../report.ts';
import { type Sender, sendRequest } from '../requests.ts';

const CONNECTIONS = 64;
const SETTLE_MS = 3_000;
/** Backlog of each number before the first message leaves, in seconds of its pace: no number ever runs dry. */
const AHEAD_SECONDS = 5;
const HIGHEST_PACE = 1_000;
const NUMBERS = 200;
/** Messages per second of the numbers, in turn: 1,000 together. */
const PACES = [1, 2, 2, 3, 3, 4, 4, 5, 6, 20];
/** Step through a list; it has no factor in common with the lists' lengths, so each element is visited once. */
const STRIDE = 389;

/**
 * The log of the strict upstream: per number the count and the time from first to last arrival; over all numbers the refusals and the
 * arrivals of uncertain time.
 */
interface Book {
  numbers: { id: string; count: number; seconds: number }[];
  refused: { throughput: number; pair: number };
  unsure: number;
}

/**
 * Measures how exactly numbers keep their pace with a backlog, against an upstream that refuses messages above the pace within any second.
 * Messages are accepted as fast as they leave. `only` selects `one` number at the limit, or `many` with different paces.
 */
export async function pace({ seconds = 60, only = '' }: { seconds?: number; only?: string }): Promise<Line[]> {
  const parts = { one: atTheLimit, many: atPacesOfTheirOwn };
  const lines: Line[] = [];
  for (const [name, measure] of Object.entries(parts)) if (name.includes(only)) lines.push(await measure(seconds));
  return lines;
}

/** Measures one number at the platform's highest pace. */
function atTheLimit(seconds: number): Promise<Line> {
  return withGateway(strictUpstream('HIGH', [HIGHEST_PACE]), async (gateway, upstream) => {
    const book = await keepBook(upstream, gateway, gateway, HIGHEST_PACE, seconds);
    const [number] = book.numbers;
    const rate = number === undefined ? 0 : rateOf(number);
    return {
      what: `one number at ${HIGHEST_PACE.toLocaleString('en')}/s`,
      value: perSecond(rate),
      note: `${percent(rate / HIGHEST_PACE)} of the limit for ${seconds} s; ${refusals(book)}`,
    };
  });
}

/** Measures many numbers, each at a pace set by its operator. */
function atPacesOfTheirOwn(seconds: number): Promise<Line> {
  const limits = Array.from({ length: NUMBERS }, (_, index) => PACES[index % PACES.length] ?? 1);
  return withGateway(strictUpstream('STANDARD', limits), async (gateway, upstream) => {
    const paces = new Map(gateway.numbers.toSorted().map((id, index) => [id, limits[index] ?? 1]));
    for (const [id, messages_per_second] of paces)
      await gateway.admin('PATCH', `/numbers/${id}`, { messages_per_second });
    const sender = { apiKey: gateway.apiKey, numbers: inTurn(paces) };
    const book = await keepBook(upstream, gateway, sender, sender.numbers.length, seconds);
    const errorOf = (number: Book['numbers'][number]) => rateOf(number) / (paces.get(number.id) ?? Number.NaN) - 1;
    const off = percentilesOf(book.numbers.map((number) => Math.abs(errorOf(number))));
    const total = book.numbers.reduce((sum, number) => sum + rateOf(number), 0);
    return {
      what: `${book.numbers.length} numbers at 1 to 20/s, ${sender.numbers.length.toLocaleString('en')}/s together`,
      value: perSecond(total),
      note:
        `off what is set by ${percent(off(0.5))} (p50), ${percent(off(0.99))} (p99), ${percent(off(1))} (at most) ` +
        `for ${seconds} s; ${refusals(book)}`,
    };
  });
}

function strictUpstream(level: 'STANDARD' | 'HIGH', limits: readonly number[]): [string, ...string[]] {
  return ['strict-upstream.ts', level, ...limits.map(String)];
}

/** Builds up a backlog, resumes sending, and logs the arrivals once the rate has settled. */
async function keepBook(
  upstream: BenchProcess,
  gateway: BenchGateway,
  sender: Sender,
  pacePerSecond: number,
  seconds: number,
): Promise<Book> {
  const request = () => sendRequest(sender);
  const feed = (forSeconds: number, rate: number) =>
    putLoad({ port: gateway.port, connections: CONNECTIONS, seconds: forSeconds, perSecond: rate, request });
  await pauseAll(gateway, true);
  await feed(AHEAD_SECONDS, pacePerSecond);
  await pauseAll(gateway, false);
  const feeding = feed(seconds + SETTLE_MS / 1000, pacePerSecond);
  await pause(SETTLE_MS);
  await ask<Book>(upstream, 'open');
  await pause(seconds * 1000);
  const book = await ask<Book>(upstream, 'close');
  await feeding;
  return book;
}

/** Returns each id as often as its pace says, well mixed. */
function inTurn(paces: ReadonlyMap<string, number>): string[] {
  const ids = [...paces].flatMap(([id, messagesPerSecond]) => Array.from({ length: messagesPerSecond }, () => id));
  return ids.map((_, index) => ids[(index * STRIDE) % ids.length] ?? '');
}

/** Counts the intervals between messages, so that the position of the first and the last does not matter. */
function rateOf({ count, seconds }: Book['numbers'][number]): number {
  return (count - 1) / seconds;
}

function refusals({ refused, unsure }: Book): string {
  return `${refused.throughput} × 130429, ${refused.pair} × 131056, ${unsure} came while the upstream stood still`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
