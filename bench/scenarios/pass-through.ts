import { joinLoads, type LoadResult, percentilesOf, putLoad } from '../load.ts';
import { ask, type BenchGateway, type BenchProcess, pause, withGateway } from '../processes.ts';
import { type Line, perSecond } from '../report.ts';
import { sendRequest } from '../requests.ts';

const NUMBERS = 32;
/** Each account has its own hourly calls at the platform, which the gateway counts, too. */
const ACCOUNTS = 24;
const CONNECTIONS = 32;
/** Far below saturation, so that the two differ by the gateway's own work. */
const CALLS_PER_SECOND = 50;
/** 10,000 a minute. */
const MANY_CALLS_PER_SECOND = 10_000 / 60;
const SENDS_PER_SECOND = 100;
/** The parts of each measurement take turns, because a machine's speed varies. */
const TURNS = 4;
const UNCOUNTED_MS = 500;
const WARM_UP_SECONDS = 10;
const SETTLE_MS = 1_000;

/** Times of sends: to the 202, and until they arrive at the upstream. */
interface Sends {
  accepted: LoadResult[];
  arrivals: number[];
}

/**
 * Measures a call that is passed on: its latency beside that of the same call at the upstream itself, and the latency of sends with and
 * without 10,000 such calls a minute.
 */
export function passThrough(seconds: number): Promise<Line[]> {
  return withGateway(['upstream-sink.ts', String(NUMBERS)], async (gateway, sink) => {
    const numbers = await connectAccounts(gateway);
    const turnSeconds = seconds / TURNS;
    const calls = (port: number, rate: number, forSeconds: number) => {
      const next = callsOf(gateway, numbers);
      return putLoad({ ...loadOf(port, forSeconds), perSecond: rate, request: next });
    };
    await Promise.all([
      calls(gateway.port, MANY_CALLS_PER_SECOND, WARM_UP_SECONDS),
      sends(gateway, sink, WARM_UP_SECONDS),
    ]);
    await pause(SETTLE_MS);

    const direct: LoadResult[] = [];
    const passed: LoadResult[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      direct.push(await calls(sink.port, CALLS_PER_SECOND, turnSeconds));
      passed.push(await calls(gateway.port, CALLS_PER_SECOND, turnSeconds));
    }

    const alone: Sends = { accepted: [], arrivals: [] };
    const beside: Sends = { accepted: [], arrivals: [] };
    const many: LoadResult[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      add(alone, await sends(gateway, sink, turnSeconds));
      const [result, others] = await Promise.all([
        sends(gateway, sink, turnSeconds),
        calls(gateway.port, MANY_CALLS_PER_SECOND, turnSeconds),
      ]);
      add(beside, result);
      many.push(others);
    }
    return [
      ...callLines(direct, passed),
      callLine('10,000 calls a minute, beside sends', many),
      ...sendLines(alone, beside),
    ];
  });
}

/** Connects further accounts and returns a number of each. */
async function connectAccounts(gateway: BenchGateway): Promise<string[]> {
  const numbers: string[] = [];
  for (let account = 1; account <= ACCOUNTS; account += 1) {
    const body = { waba_id: String(100 + account), access_token: 'EAAbench' };
    const waba = (await gateway.admin('POST', `/organizations/${gateway.organizationId}/wabas`, body)) as {
      numbers: { phone_number_id: string }[];
    };
    numbers.push(waba.numbers[0]?.phone_number_id ?? '');
  }
  return numbers;
}

function loadOf(port: number, seconds: number) {
  return { port, seconds, connections: CONNECTIONS, uncountedMs: UNCOUNTED_MS };
}

/** Returns a function that makes reads of a profile, of each number in turn. */
function callsOf({ apiKey }: BenchGateway, numbers: readonly string[]): () => string {
  let made = 0;
  return () => {
    made += 1;
    const path = `/v24.0/${numbers[made % numbers.length]}/whatsapp_business_profile`;
    return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${apiKey}\r\n\r\n`;
  };
}

async function sends(gateway: BenchGateway, sink: BenchProcess, seconds: number): Promise<Sends> {
  const request = () => sendRequest(gateway, { timed: true });
  const accepted = await putLoad({ ...loadOf(gateway.port, seconds), perSecond: SENDS_PER_SECOND, request });
  await pause(SETTLE_MS);
  const { waits } = await ask<{ waits: number[] }>(sink, 'waits?');
  return { accepted: [accepted], arrivals: waits };
}

function add(sum: Sends, { accepted, arrivals }: Sends): void {
  sum.accepted.push(...accepted);
  sum.arrivals.push(...arrivals);
}

function callLines(direct: readonly LoadResult[], passed: readonly LoadResult[]): Line[] {
  const over = joinLoads(passed).p50 - joinLoads(direct).p50;
  return [
    callLine('a call at the upstream itself', direct),
    { ...callLine('the same call, passed on', passed), note: `${over.toFixed(2)} ms over the direct call at p50` },
  ];
}

function callLine(what: string, runs: readonly LoadResult[]): Line {
  const { perSecond: rate, p50, p99, statuses } = joinLoads(runs);
  return { what, value: perSecond(rate), p50Ms: p50, p99Ms: p99, note: JSON.stringify(statuses) };
}

function sendLines(alone: Sends, beside: Sends): Line[] {
  const measured = { 'sends alone': alone, 'sends beside 10,000 calls a minute': beside };
  return Object.entries(measured).flatMap(([what, { accepted, arrivals }]) => {
    const at = percentilesOf(arrivals);
    return [
      callLine(`${what}: 202`, accepted),
      {
        what: `${what}: at the upstream`,
        value: arrivals.length.toLocaleString('en'),
        p50Ms: at(0.5),
        p99Ms: at(0.99),
      },
    ];
  });
}
