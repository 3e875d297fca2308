import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import {
  call,
  createTenant,
  freshRecipient,
  pause,
  readMessage,
  resume,
  type Served,
  sendTemplate,
  type Tenant,
  until,
} from '../harness/tenant.ts';
import { readSteps } from './documented-steps.ts';
import { EventReading } from './event-reading.ts';
import { readSequences } from './moves.ts';
import { PostgresServer } from './postgres-server.ts';
import { describeTally, SteadyLoad } from './steady-load.ts';

const PER_SECOND = 40;
const STEADY_MS = 2_000;
const WAITING = 50;
/** Length of a hold in this script; the documented one is ten minutes. */
const HOLD = '20 seconds';

/**
 * Loses a PostgreSQL under load and restores it to an earlier moment by the documented commands. One number sends all the time, one waits
 * at the moment and sends after it, and one waits all the time and is excluded from the holds. Returns true if every promise was kept.
 */
export async function runRecovery(): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'fairway-recovery-'));
  const backup = join(dir, 'backup');
  await mkdir(join(backup, 'wal'), { recursive: true });
  const primary = await PostgresServer.prepare(dir, 'primary');
  const restored = await PostgresServer.prepare(dir, 'restored');
  const gateway = await createRestartableGateway({
    DATABASE_URL: primary.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
  });
  try {
    await primary.create(await archiveSettings(backup));
    const before = await gateway.start();
    const busy = await createTenant(before);
    const [late, untouched] = [await createTenant(before), await createTenant(before)];
    for (const tenant of [late, untouched]) await pause(before, tenant);
    const load = new SteadyLoad([before], busy, PER_SECOND);
    await delay(STEADY_MS);
    await primary.shell(await readSteps('sh', 'pg_basebackup'), {
      SUPERUSER_URL: primary.superuserUrl,
      BACKUP: backup,
    });
    const lateIds = await sendMany(before, late, WAITING);
    const untouchedIds = await sendMany(before, untouched, WAITING);
    await delay(STEADY_MS);
    const sequences = await readSequences(primary);
    const momentMs = performance.now();
    const [{ moment } = { moment: '' }] = await primary.query<{ moment: string }>('SELECT now()::text AS moment');

    await delay(STEADY_MS);
    await resume(before, late);
    await until('what waited at the moment is sent', () => sentBy(before, late) >= WAITING || undefined);
    const unknownIds = await sendMany(before, busy, 5);
    const reading = new EventReading(late);
    await reading.readOn(before);
    await untilArchived(primary);
    before.kill('SIGKILL');
    await primary.kill();
    await load.halt();
    await before.ended;

    await restored.shell(await readSteps('sh', 'recovery.signal'), {
      BACKUP: backup,
      PGDATA: restored.dir,
      MOMENT: moment,
    });
    await restored.adopt();
    await untilPromoted(restored);
    await restored.query(await holdsOfAllBut(untouched));
    gateway.environment.DATABASE_URL = restored.url;
    const after = await gateway.start();
    for (const tenant of [late, untouched]) await resume(after, tenant);
    const later = new SteadyLoad([after], busy, PER_SECOND);
    await delay(STEADY_MS);
    const last = await later.stop();
    await until('nothing waits', async () => {
      const [row] = await restored.query<{ count: number }>('SELECT count(*)::int AS count FROM send_queue');
      return row?.count === 0 || undefined;
    });
    await until('the failures are reported', async () => {
      await reading.readOn(after);
      return reading.countOf(lateIds, 'message.failed') >= WAITING || undefined;
    });

    const first = load.tally(momentMs);
    const counts = {
      'waited at the moment, failed as UNKNOWN_OUTCOME': await countEnds(after, late, lateIds, 'UNKNOWN_OUTCOME'),
      'excluded from the holds, sent': sentBy(after, untouched),
      'accepted after the moment, unknown': await countUnknown(after, busy, unknownIds),
    };
    const sequencesNow = new Map((await readSequences(restored)).map(({ name, value }) => [name, value]));
    const isGoingOn = sequences.every(({ name, value }) => (sequencesNow.get(name) ?? 0) >= value);
    const accepted = first.accepted + last.accepted + WAITING * 2 + unknownIds.size;
    console.log(
      `recovery to a moment under load: ${describeTally({ ...first, accepted, lost: first.lost + last.lost })}`,
    );
    for (const [name, count] of Object.entries(counts)) console.log(`${name}: ${count}`);
    console.log(`accepted after the moment, never sent: ${load.tally().lost}`);
    console.log(`sequences ${isGoingOn ? 'go on' : 'WENT BACK'}`);
    return (
      first.lost + last.lost + first.doubled === 0 &&
      isGoingOn &&
      Object.values(counts).join() === [WAITING, untouchedIds.size, unknownIds.size].join()
    );
  } finally {
    await gateway.close();
    for (const server of [restored, primary]) await server.kill();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The documented settings of an archive, with the directory of this script. */
async function archiveSettings(backup: string): Promise<Record<string, string>> {
  const lines = (await readSteps('ini', 'archive_command')).replaceAll('/backup/', `${backup}/`).trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^(\w+) = '?(.*?)'?$/.exec(line) ?? [];
      return [name, value];
    }),
  );
}

/** The documented SQL that holds everything that waits, with a shorter hold and the messages of one number left out. */
async function holdsOfAllBut({ phoneNumberId }: Tenant): Promise<string> {
  const sql = await readSteps('sql', 'UPDATE send_queue');
  if (!sql.includes("'10 minutes'")) throw new Error('the documented hold is not ten minutes');
  const excluded = `number_id NOT IN (SELECT number_id FROM sending_number WHERE phone_number_id IN ('${phoneNumberId}'))`;
  return sql.replace("'10 minutes'", `'${HOLD}'`).replace(/;\s*$/, ` WHERE ${excluded};`);
}

async function sendMany(gateway: Served, tenant: Tenant, count: number): Promise<Set<string>> {
  const ids = new Set<string>();
  while (ids.size < count) ids.add(await sendTemplate(gateway, tenant, freshRecipient()));
  return ids;
}

function sentBy({ simulator }: Served, { phoneNumberId }: Tenant): number {
  return simulator.world.sends.list({ phoneNumberId, outcome: 'accepted' }).length;
}

async function countEnds(gateway: Served, tenant: Tenant, ids: ReadonlySet<string>, code: string): Promise<number> {
  const messages = await Promise.all([...ids].map((id) => readMessage(gateway, tenant, id)));
  return messages.filter(({ status, error_code: ended }) => status === 'failed' && ended === code).length;
}

async function countUnknown(gateway: Served, tenant: Tenant, ids: ReadonlySet<string>): Promise<number> {
  const answers = await Promise.all([...ids].map((id) => call(gateway, tenant, 'GET', `/v1/messages/${id}`)));
  return answers.filter(({ status }) => status === 404).length;
}

/** Waits until everything written so far is in the archive. */
async function untilArchived(server: PostgresServer): Promise<void> {
  const [{ file } = { file: '' }] = await server.query<{ file: string }>(
    'SELECT pg_walfile_name(pg_switch_wal()) AS file',
  );
  await until(`${file} is archived`, async () => {
    const [row] = await server.query<{ last: string | null }>('SELECT last_archived_wal AS last FROM pg_stat_archiver');
    return (row?.last ?? '') >= file || undefined;
  });
}

async function untilPromoted(server: PostgresServer): Promise<void> {
  await until(`${server.name} takes writes`, async () => {
    const [row] = await server.query<{ recovering: boolean }>('SELECT pg_is_in_recovery() AS recovering', 'postgres');
    return row?.recovering === false || undefined;
  });
}
