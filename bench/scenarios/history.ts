import { type CallTimes, formatTimes } from '../call-times.ts';
import { addOrganizations, type Tenant } from '../deep-queue/organizations.ts';
import { fillDays } from '../history/fill-days.ts';
import { dropOldDays, timeHistoryCalls } from '../history/history-calls.ts';
import { percentilesOf, putLoad } from '../load.ts';
import { type BenchGateway, startBenchGateway, startHelper } from '../processes.ts';
import { perSecond, type Table } from '../report.ts';
import { sendRequest } from '../requests.ts';

const ORGANIZATIONS = 20;
const NUMBERS = 5;
const DAYS = 90;
const TURNS = 3;
const CONNECTIONS = 64;
const CALM_PER_SECOND = 200;
const WARM_UP_SECONDS = 10;

/** Measurements of one gateway over all turns. */
interface Entrant {
  gateway: BenchGateway;
  /** Ms from the request to the 202, at a calm rate. */
  latencies: number[];
  /** Sends accepted per second at saturation, of each turn. */
  rates: number[];
  calls: CallTimes[];
  /** Ms from the request to the 202 while an old day is dropped, or at another time. */
  besideDrop: number[];
}

/**
 * Compares a gateway that keeps `messages` of 90 days with the same gateway with an empty database, in turns: sends, lists,
 * timelines, and sends while the oldest day is dropped.
 */
export async function history({
  seconds = 8,
  messages = DAYS * 100_000,
}: {
  seconds?: number;
  messages?: number;
}): Promise<Table> {
  const perDay = Math.round(messages / DAYS);
  const sink = await startHelper('upstream-sink.ts', String(NUMBERS));
  const gateways: BenchGateway[] = [];
  try {
    const full = await startBenchGateway(sink.port);
    gateways.push(full);
    const tenants = await addOrganizations(full, ORGANIZATIONS);
    await full.halt();
    const empty = await full.copy();
    gateways.push(empty);
    process.stderr.write(`filling in ${DAYS} days …\n`);
    await full.resume();
    const startedAt = performance.now();
    await fillDays(full, tenants, { days: DAYS, perDay });
    const fillSeconds = (performance.now() - startedAt) / 1000;
    await full.halt();
    const entrants = [empty, full].map(
      (gateway): Entrant => ({ gateway, latencies: [], rates: [], calls: [], besideDrop: [] }),
    );
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const entrant of entrants) {
        process.stderr.write(`turn ${turn + 1} of ${TURNS} …\n`);
        await takeTurn(entrant, tenants, seconds);
      }
    }
    let dropMs = 0;
    for (const entrant of entrants) {
      await entrant.gateway.resume();
      await send(entrant, tenants, WARM_UP_SECONDS, CALM_PER_SECOND);
      entrant.calls = await timeHistoryCalls(entrant.gateway);
      const sending = send(entrant, tenants, seconds, CALM_PER_SECOND);
      dropMs = await dropOldDays(entrant.gateway, DAYS - 1);
      entrant.besideDrop = [...(await sending).latencies];
      await entrant.gateway.halt();
    }
    return tableOf(entrants, { perDay, fillSeconds, dropMs });
  } finally {
    for (const gateway of gateways) await gateway.stop();
    await sink.stop();
  }
}

async function takeTurn(entrant: Entrant, tenants: readonly Tenant[], seconds: number): Promise<void> {
  await entrant.gateway.resume();
  await send(entrant, tenants, WARM_UP_SECONDS);
  entrant.rates.push((await send(entrant, tenants, seconds)).perSecond);
  await send(entrant, tenants, 2, CALM_PER_SECOND);
  entrant.latencies.push(...(await send(entrant, tenants, seconds, CALM_PER_SECOND)).latencies);
  await entrant.gateway.halt();
}

/** Sends for all organizations in turn, at `rate` a second or as fast as the connections can. */
function send({ gateway }: Entrant, tenants: readonly Tenant[], seconds: number, rate?: number) {
  let count = 0;
  const request = () => {
    count += 1;
    const tenant = tenants[Math.floor(count / NUMBERS) % tenants.length];
    if (tenant === undefined) throw new Error('no organizations');
    return sendRequest(tenant);
  };
  const pace = rate === undefined ? {} : { perSecond: rate };
  return putLoad({ port: gateway.port, connections: CONNECTIONS, seconds, request, ...pace });
}

function tableOf(
  entrants: readonly Entrant[],
  { perDay, fillSeconds, dropMs }: { perDay: number; fillSeconds: number; dropMs: number },
): Table {
  const row = (what: string, cell: (entrant: Entrant) => string) => [what, ...entrants.map(cell)];
  const latency = (latencies: readonly number[]) => {
    const at = percentilesOf(latencies);
    return [0.5, 0.99, 1].map((share) => at(share).toFixed(1)).join(' / ');
  };
  const calls = entrants[0]?.calls ?? [];
  return {
    header: ['history', 'empty', `${DAYS} days of ${perDay.toLocaleString('en')}`],
    rows: [
      row('sends accepted while dispatching, in turns', ({ rates }) => rates.map(perSecond).join(', ')),
      row(`send at ${CALM_PER_SECOND}/s, p50 / p99 / slowest ms`, ({ latencies }) => latency(latencies)),
      row('the same while the oldest day is dropped', ({ besideDrop }) => latency(besideDrop)),
      ...calls.map(({ what }, index) =>
        row(`${what}, first / p50 / slowest after`, ({ calls }) => {
          const times = calls[index];
          return times === undefined ? '' : formatTimes(times);
        }),
      ),
      ['dropping the oldest day', '', `${dropMs.toFixed(0)} ms`],
    ],
    notes: [`Filled in ${fillSeconds.toFixed(0)} s.`],
  };
}
