import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { createTenant, freshRecipient, pause, resume, sendTemplate, until } from '../harness/tenant.ts';
import { EventReading } from './event-reading.ts';
import type { PostgresServer } from './postgres-server.ts';
import { describeTally, SteadyLoad } from './steady-load.ts';

const PER_SECOND = 40;
const STEADY_MS = 3_000;
const WAITING = 100;
/** Events of a message that its person reads: accepted, sent, delivered, read. */
const EVENTS_OF_A_MESSAGE = 4;

/**
 * Stops the gateway under load while messages wait, moves its database from `source` to `target`, and starts the gateway there. Returns
 * true if each message was sent once, sequences go on, and the events before and after the move form one list.
 */
export async function runMove(
  name: string,
  source: PostgresServer,
  target: PostgresServer,
  move: () => Promise<void>,
): Promise<boolean> {
  const gateway = await createRestartableGateway({
    DATABASE_URL: source.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
  });
  try {
    const before = await gateway.start();
    const [tenant, waiting] = [await createTenant(before), await createTenant(before)];
    await pause(before, waiting);
    const ids = new Set<string>();
    while (ids.size < WAITING) ids.add(await sendTemplate(before, waiting, freshRecipient()));
    const load = new SteadyLoad([before], tenant, PER_SECOND);
    await delay(STEADY_MS);
    const reading = new EventReading(waiting);
    await reading.readOn(before);
    await load.halt();
    before.kill('SIGTERM');
    await before.ended;
    const sequences = await readSequences(source);
    const queued = await countQueued(source);
    await move();
    const moved = await readSequences(target);

    gateway.environment.DATABASE_URL = target.url;
    const after = await gateway.start();
    await resume(after, waiting);
    const later = new SteadyLoad([after], tenant, PER_SECOND);
    await delay(STEADY_MS);
    await until('the events of all that waited', async () => {
      await reading.readOn(after);
      return reading.countOf(ids) >= WAITING * EVENTS_OF_A_MESSAGE ? true : undefined;
    });
    const [last, first] = [await later.stop(), await load.settle()];
    const tally = {
      ...first,
      accepted: WAITING + first.accepted + last.accepted,
      lost: first.lost + last.lost,
      refused: first.refused + last.refused,
    };
    const isGoingOn = JSON.stringify(sequences) === JSON.stringify(moved);
    console.log(`${name}: ${queued} waited, ${describeTally(tally)}`);
    console.log(
      `${name}: ${sequences.length} sequences ${isGoingOn ? 'go on' : 'DIFFER'}, ${reading.repeated} events came twice`,
    );
    return isGoingOn && tally.lost + tally.doubled + reading.repeated === 0;
  } finally {
    await gateway.close();
  }
}

/** The last values of all sequences, by name. */
export async function readSequences(server: PostgresServer): Promise<{ name: string; value: number }[]> {
  return await server.query(
    `SELECT sequencename AS name, coalesce(last_value, 0)::float8 AS value FROM pg_sequences
     WHERE schemaname = 'public' ORDER BY sequencename`,
  );
}

async function countQueued(server: PostgresServer): Promise<number> {
  const [row] = await server.query<{ count: number }>('SELECT count(*)::int AS count FROM send_queue');
  return row?.count ?? 0;
}
