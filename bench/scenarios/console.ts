import { launchBrowser } from '../../test/console/open-console.ts';
import { percentilesOf } from '../load.ts';
import {
  listCalls,
  openWindow,
  type PageCall,
  pagesOfOperator,
  pagesOfOrganization,
  signIn,
} from '../million/console-pages.ts';
import { startFilledGateway } from '../million/filled-gateway.ts';
import { type BenchGateway, pause } from '../processes.ts';
import type { Table } from '../report.ts';

const WARM_CALLS = 9;
/** Pages of a list that are read after its first one. */
const PAGES_AFTER = 20;
const SLOW_MS = 500;
/** Share of a processor that an open page may take of the gateway. */
const SHARE_MAX = 0.01;
const SETTLE_MS = 10_000;
/** Parts of the measurement of an open page, which alternate with idle ones: the idle work of a gateway varies. */
const TURNS = 3;
const OPENING_MS = 3_000;

/** Measured calls of one page. */
interface PageTimes {
  calls: Set<string>;
  coldMs: number[];
  warmMs: number[];
  slowest: { ms: number; path: string };
  rows: number;
  bytes: number;
  refused: string[];
}

/**
 * Measures the answers to every call of the console's pages in a database of `queued` messages, and the processor time that an open page
 * costs. The pages run in Chromium once, which lists their calls; the calls are then repeated one at a time against a restarted gateway.
 */
export async function consolePages({
  seconds = 30,
  queued = 1_000_000,
}: {
  seconds?: number;
  queued?: number;
}): Promise<Table> {
  const { gateway, subjects, stop } = await startFilledGateway(queued);
  const browser = await launchBrowser();
  try {
    const operator = await signIn(gateway.port, gateway.adminToken);
    const developer = await signIn(gateway.port, gateway.apiKey);
    const ofOrganization = pagesOfOrganization(subjects);
    const visits = [
      { cookie: operator, as: '', pages: { ...pagesOfOperator(subjects), ...ofOrganization } },
      { cookie: developer, as: ', with a key', pages: ofOrganization },
    ];
    const lists: { cookie: string; as: string; calls: PageCall[] }[] = [];
    for (const { cookie, as, pages } of visits) {
      lists.push({ cookie, as, calls: await listCalls(browser, gateway.port, cookie, pages) });
    }
    await gateway.restart();
    await pause(SETTLE_MS);
    const times = new Map<string, PageTimes>();
    for (const { cookie, as, calls } of lists) {
      for (const call of calls) await measureCall(gateway.port, cookie, call, as, times);
    }
    const costs: string[][] = [];
    for (const page of ['Now', 'Queue'] as const) {
      await pause(SETTLE_MS);
      costs.push(await measureOpenPage(browser, gateway, operator, page, seconds));
    }
    return tableOf(times, costs, queued);
  } finally {
    await browser.close();
    await stop();
  }
}

/** Measures one call: cold, again and again, and the pages after it. */
async function measureCall(
  port: number,
  cookie: string,
  { page, path, organization }: PageCall,
  as: string,
  times: Map<string, PageTimes>,
): Promise<void> {
  const name = page + as;
  const found: PageTimes = times.get(name) ?? {
    calls: new Set(),
    coldMs: [],
    warmMs: [],
    slowest: { ms: 0, path: '' },
    rows: 0,
    bytes: 0,
    refused: [],
  };
  times.set(name, found);
  // A call that waits for events takes as long as it is asked to.
  const immediate = path.replace(/([?&])wait=\d+/, '$1wait=0');
  const read = (wanted: string) => timedRead(port, cookie, wanted, organization);
  const cold = await read(immediate);
  found.calls.add(immediate.split('?')[0] ?? '');
  found.coldMs.push(cold.ms);
  const note = ({ ms, rows, bytes }: Reading, wanted: string) => {
    if (ms > found.slowest.ms) found.slowest = { ms, path: wanted };
    found.rows = Math.max(found.rows, rows);
    found.bytes = Math.max(found.bytes, bytes);
  };
  note(cold, immediate);
  if (cold.status >= 400) {
    found.refused.push(`${cold.status} ${immediate}`);
    return;
  }
  for (let count = 0; count < WARM_CALLS; count += 1) {
    const warm = await read(immediate);
    found.warmMs.push(warm.ms);
    note(warm, immediate);
  }
  let { next } = cold;
  for (let count = 0; next !== null && count < PAGES_AFTER; count += 1) {
    const after = new URL(immediate, 'http://gateway');
    after.searchParams.set('after', next);
    const wanted = after.pathname + after.search;
    const far = await read(wanted);
    found.warmMs.push(far.ms);
    note(far, wanted);
    next = far.next === next ? null : far.next;
  }
}

interface Reading {
  status: number;
  ms: number;
  rows: number;
  bytes: number;
  next: string | null;
}

async function timedRead(port: number, cookie: string, path: string, organization?: string): Promise<Reading> {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: {
      cookie,
      accept: 'application/json',
      'fairway-console': '1',
      'sec-fetch-site': 'same-origin',
      ...(organization !== undefined && { 'fairway-organization': organization }),
    },
  });
  const text = await answer.text();
  const ms = performance.now() - startedAt;
  const body: unknown = /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : {};
  const { next, data } = body as { next?: unknown; data?: unknown };
  return {
    status: answer.status,
    ms,
    rows: longestList(Array.isArray(data) ? data : body),
    bytes: Buffer.byteLength(text),
    next: typeof next === 'string' && answer.ok ? next : null,
  };
}

/** Returns the length of the longest list in an answer. */
function longestList(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  const within = Object.values(value).map(longestList);
  return Math.max(Array.isArray(value) ? value.length : 0, ...within);
}

/**
 * Measures the processor time of gateway and database while a page is open and, in turns with that, while none is, as shares of one
 * processor.
 */
async function measureOpenPage(
  browser: Awaited<ReturnType<typeof launchBrowser>>,
  gateway: BenchGateway,
  cookie: string,
  page: 'Now' | 'Queue',
  seconds: number,
): Promise<string[]> {
  const sums = { idle: { gateway: 0, database: 0, seconds: 0 }, open: { gateway: 0, database: 0, seconds: 0 } };
  const measure = async (sum: (typeof sums)['idle']) => {
    const [before, startedAt] = [await gateway.cpu(), performance.now()];
    await pause((seconds / TURNS) * 1000);
    const after = await gateway.cpu();
    sum.gateway += after.gateway - before.gateway;
    sum.database += after.database - before.database;
    sum.seconds += (performance.now() - startedAt) / 1000;
  };
  for (let turn = 0; turn < TURNS; turn += 1) {
    process.stderr.write(`idle, then ${page} open …\n`);
    await measure(sums.idle);
    const window = await openWindow(browser, gateway.port, cookie);
    await window.page.goto(`${window.url}/console/${page.toLowerCase()}`);
    await window.page.locator('h1').waitFor();
    await pause(OPENING_MS);
    await measure(sums.open);
    await window.context.close();
    await pause(OPENING_MS);
  }
  const shareOf = ({ gateway, database, seconds }: (typeof sums)['idle']) => ({
    gateway: gateway / seconds,
    database: database / seconds,
  });
  const [idle, open] = [shareOf(sums.idle), shareOf(sums.open)];
  const percent = (value: number) => `${(value * 100).toFixed(2)} %`;
  const [gatewayCost, databaseCost] = [open.gateway - idle.gateway, open.database - idle.database];
  return [
    `${page}, open`,
    `gateway ${percent(gatewayCost)}, PostgreSQL ${percent(databaseCost)}`,
    `idle between: ${percent(idle.gateway)}, ${percent(idle.database)}`,
    gatewayCost > SHARE_MAX ? 'above 1 %' : '',
  ];
}

function tableOf(times: ReadonlyMap<string, PageTimes>, costs: string[][], queued: number): Table {
  const ms = (value: number | undefined) => (value === undefined ? '' : value.toFixed(1));
  const rows = [...times].map(([page, { calls, coldMs, warmMs, slowest, rows, bytes }]) => [
    page,
    String(calls.size),
    ms(Math.max(...coldMs)),
    warmMs.length === 0 ? '' : ms(percentilesOf(warmMs)(0.5)),
    warmMs.length === 0 ? '' : ms(Math.max(...warmMs)),
    String(rows),
    bytes.toLocaleString('en'),
    slowest.ms > SLOW_MS ? `above ${SLOW_MS} ms: ${slowest.path}` : '',
  ]);
  const refused = [...times].flatMap(([page, { refused }]) => refused.map((call) => `${page}: ${call}`));
  const slow = rows.filter(([, , , , , , , note]) => note !== '').length;
  return {
    header: [
      `console, ${queued.toLocaleString('en')} messages`,
      'routes',
      'cold, slowest ms',
      'p50 ms',
      'slowest ms',
      'rows',
      'bytes',
      'exceeds',
    ],
    rows,
    notes: [
      `${slow} of ${rows.length} visits had a call above ${SLOW_MS} ms.`,
      ...costs.map((cost) => cost.filter((part) => part !== '').join('; ')),
      ...(refused.length > 0 ? [`Refused: ${refused.join('; ')}`] : []),
    ],
  };
}
