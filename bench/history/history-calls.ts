import { systemClock } from '../../src/core/time/clock.ts';
import { openDatabase } from '../../src/database/database.ts';
import { dropMessages } from '../../src/messages/index.ts';
import { type CallTimes, timeCalls } from '../call-times.ts';
import { type BenchGateway, callerOf } from '../processes.ts';

const DAY_MS = 24 * 3_600_000;
/** Messages and recipients that are looked up, of days that lie evenly in the whole time. */
const SUBJECTS = 20;

/** Measures the lists of the first organization's messages, and timelines of its messages, one call at a time. */
export async function timeHistoryCalls(gateway: BenchGateway): Promise<CallTimes[]> {
  const get = callerOf(gateway.port, '/v1', gateway.apiKey);
  const subjects = await gateway.inDatabase(async (client) => {
    const { rows } = await client.query<{ id: string; contact: string }>(
      `SELECT DISTINCT ON (slice) id, contact FROM (
         SELECT id, contact, ntile($2) OVER (ORDER BY id) AS slice FROM message WHERE organization_id = $1
       ) m ORDER BY slice, id`,
      [gateway.organizationId, SUBJECTS],
    );
    return rows;
  });
  const subject = (index: number) => subjects[index % subjects.length];
  const list = (what: string, query: (index: number) => string) =>
    timeCalls(what, (index) => get('GET', `/messages?${query(index)}`));
  return [
    await list('messages, first page', () => ''),
    await list('messages, a recipient', (index) => `recipient=%2B${subject(index)?.contact}`),
    await list('messages, delivered', () => 'status=delivered'),
    await list('messages, failed', () => 'status=failed'),
    await timeCalls('a timeline', (index) => get('GET', `/messages/${subject(index)?.id}/timeline`)),
  ];
}

/** Drops the days of messages that ended more than `days` days ago, as the maintenance does. Resolves with its ms. */
export async function dropOldDays(gateway: BenchGateway, days: number): Promise<number> {
  const db = openDatabase({ connectionString: await gateway.databaseUrl(), onIdleError: () => {} });
  try {
    const startedAt = performance.now();
    await dropMessages({ db, clock: systemClock }, Date.now() - days * DAY_MS);
    return performance.now() - startedAt;
  } finally {
    await db.close();
  }
}
