import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, describe, test } from 'node:test';
import { pino } from 'pino';
import { checkLocks } from '../../src/database/connection/check-locks.ts';
import { openDatabase } from '../../src/database/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded-postgres/index.ts';
import {
  childrenOf,
  exists,
  isLinux,
  isRunning,
  parentOf,
  queryRow,
  replaceUnshare,
  sigkill,
  unprivilegedUser,
  until,
} from '../support/server-processes.ts';

const log = pino({ level: 'silent' });
const isRoot = process.getuid?.() === 0;

describe('embedded PostgreSQL', () => {
  let parentDir: string;
  let dataDir: string;
  const children = new Set<ChildProcess>();

  before(async () => {
    // 0700, like the home directory of a user who might have cloned into it.
    parentDir = await mkdtemp(join(tmpdir(), 'fairway-embedded-'));
    dataDir = join(parentDir, 'data');
  });

  after(async () => {
    for (const child of children) await kill(child);
    await rm(parentDir, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Starts a server on `dataDir`, runs `work` and stops the server. */
  async function withServer<T>(
    work: (server: EmbeddedPostgres) => Promise<T>,
    options: { dataDir?: string; messageDays?: number } = {},
  ): Promise<T> {
    const server = await startEmbeddedPostgres({ dataDir, log, ...options });
    try {
      return await work(server);
    } finally {
      await server.stop();
    }
  }

  /** Returns the first row of an answer from a server on `dir`, started for this query. */
  function ask(statement: string, dir = dataDir): Promise<unknown> {
    return withServer((server) => queryRow(server.connectionString, statement), { dataDir: dir });
  }

  /** Starts a server in a separate process. */
  async function startChild(dir: string, kind = 'durable') {
    const script = join(import.meta.dirname, '../harness/embedded-postgres-child.ts');
    const child = spawn(process.execPath, [script, dir, kind], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(child);
    const [line] = await once(createInterface(child.stdout), 'line');
    const { connectionString, pid } = JSON.parse(line) as { connectionString: string; pid: number };
    return { child, connectionString, pid };
  }

  async function kill(child: ChildProcess): Promise<void> {
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  test('the first start: creates a private data directory and a role without superuser rights', async () => {
    const row = await ask(
      `SELECT current_user AS role, rolsuper AS super, current_setting('server_encoding') AS encoding,
              current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous
       FROM pg_roles WHERE rolname = current_user`,
    );
    assert.deepEqual(row, { role: 'fairway', super: false, encoding: 'UTF8', fsync: 'on', synchronous: 'on' });
    assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
    assert.equal((await stat(join(dataDir, 'postgres-password'))).mode & 0o777, 0o600);
  });

  test('a server that keeps years of messages: has locks for all of their days', async () => {
    const warnings: object[] = [];
    await withServer(
      async ({ connectionString }) => {
        const db = openDatabase({ connectionString, onIdleError: () => {} });
        const noting = { warn: (words: object) => void warnings.push(words) };
        await checkLocks({ db, log: noting }, { days: 1000, connections: 60 });
        await db.close();
      },
      { messageDays: 1000 },
    );
    assert.deepEqual(warnings, []);
  });

  test('the server: reached without TLS, even if the environment asks for TLS', async () => {
    process.env.PGSSLMODE = 'require';
    const asked = ask('SELECT 1 AS one');
    const row = await asked.finally(() => delete process.env.PGSSLMODE);
    assert.deepEqual(row, { one: 1 });
  });

  test('a wrong password: refused', async () => {
    await withServer(async (server) => {
      const url = new URL(server.connectionString);
      url.password = 'wrong';
      await assert.rejects(queryRow(url.href, 'SELECT 1'), { code: '28P01' });
    });
  });

  test('committed data: present after a restart', async () => {
    await ask('CREATE TABLE kept AS SELECT 42 AS value');
    assert.deepEqual(await ask('SELECT value FROM kept'), { value: 42 });
  });

  test('stopping twice: same as once, and leaves no process', async () => {
    const server = await startEmbeddedPostgres({ dataDir, log });
    const { pid } = server;
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    assert.equal(await isRunning(pid), false);
  });

  test('a second instance on a used directory: refused by name; the first continues', async () => {
    await withServer(async (first) => {
      const refusal = new RegExp(`${dataDir} is in use by another running instance \\(process ${process.pid}\\)`);
      await assert.rejects(startEmbeddedPostgres({ dataDir, log }), refusal);
      assert.deepEqual(await queryRow(first.connectionString, 'SELECT 1 AS one'), { one: 1 });
    });
  });

  test('a directory owned by a living process: refused to another process', async () => {
    const { child, connectionString } = await startChild(dataDir);
    await assert.rejects(startEmbeddedPostgres({ dataDir, log }), new RegExp(`\\(process ${child.pid}\\)`));
    assert.deepEqual(await queryRow(connectionString, 'SELECT 1 AS one'), { one: 1 });
    await kill(child);
  });

  test('the parent is killed: the server ends by itself', async () => {
    const { child, pid } = await startChild(dataDir);
    await kill(child);
    await until(async () => !(await isRunning(pid)));
  });

  test('a start right after the parent was killed: finds its data', async () => {
    const { child, connectionString } = await startChild(dataDir);
    await queryRow(connectionString, 'CREATE TABLE survivor AS SELECT 7 AS value');
    await kill(child);
    assert.deepEqual(await ask('SELECT value FROM survivor'), { value: 7 });
  });

  test('a server that outlived its parent and its supervisor: stopped by the next start', {
    skip: !isLinux,
  }, async () => {
    const { child, pid } = await startChild(dataDir);
    const supervisor = await parentOf(pid);
    for (const process of [supervisor, ...(await childrenOf(supervisor))]) if (process !== pid) sigkill(process);
    await kill(child);
    assert.equal(await isRunning(pid), true);
    await withServer(async (server) => assert.notEqual(server.pid, pid));
    assert.equal(await isRunning(pid), false);
  });

  test('a stale pid file that names an unrelated process: start succeeds, process unharmed', async () => {
    const { child, pid } = await startChild(dataDir);
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    await kill(child);
    await until(async () => !(await isRunning(pid)));
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'ignore' });
    children.add(bystander);
    await writeFile(pidFile, text.replace(/^\d+/, String(bystander.pid)), { mode: 0o600 });
    assert.deepEqual(await ask('SELECT 1 AS one'), { one: 1 });
    assert.equal(await isRunning(bystander.pid ?? 0), true);
    await kill(bystander);
  });

  // In a container, pids start over at every start, so a process may get the pid of an earlier one.
  describe('a stale pid file', { skip: !(isLinux && isRoot) }, () => {
    let dir: string;
    let pidFile: string;

    /** Leaves the file behind, as a killed server does. */
    beforeEach(async () => {
      dir = join(parentDir, 'pids-again');
      pidFile = join(dir, 'postgres', 'postmaster.pid');
      const text = await withServer(() => readFile(pidFile, 'utf8'), { dataDir: dir });
      await writeFile(pidFile, text, { mode: 0o600 });
    });

    test('with the pid of the starting server: does not make it ready', async () => {
      const restorePath = await replaceUnshare(
        join(parentDir, 'same-pid'),
        `case "$*" in *listen_addresses*) sed -i "1s/.*/$$/" '${pidFile}'; sleep 1;; esac`,
      );
      try {
        assert.deepEqual(await ask('SELECT 1 AS one', dir), { one: 1 });
      } finally {
        restorePath();
      }
    });

    test('with the pid of a process that starts beside the server: the server starts', async () => {
      const bystander = join(parentDir, 'bystander');
      const restorePath = await replaceUnshare(
        join(parentDir, 'other-pid'),
        `case "$*" in *listen_addresses*)
           if [ ! -e '${bystander}' ]; then
             sleep 60 <&- >&- 2>&- 3<&- &
             echo $! > '${bystander}'
             sed -i "1s/.*/$!/" '${pidFile}'
           fi;;
         esac`,
      );
      try {
        assert.deepEqual(await ask('SELECT 1 AS one', dir), { one: 1 });
      } finally {
        restorePath();
        sigkill(Number(await readFile(bystander, 'utf8')));
      }
    });
  });

  test('a crashed server: returns on its port with everything committed', async () => {
    await withServer(async (server) => {
      const { connectionString, pid, port } = server;
      await queryRow(connectionString, 'CREATE TABLE acknowledged AS SELECT 1 AS value');
      sigkill(pid);
      await until(() => server.pid !== pid);
      assert.equal(server.port, port);
      assert.deepEqual(await queryRow(connectionString, 'SELECT value FROM acknowledged'), { value: 1 });
    });
  });

  test('a directory that was opened to others: closed again', async () => {
    const clusterDir = join(dataDir, 'postgres');
    await chmod(clusterDir, 0o2770);
    await withServer(async () => assert.equal((await stat(clusterDir)).mode & 0o777, 0o700));
  });

  test('a lost password file: replaced', async () => {
    await rm(join(dataDir, 'postgres-password'));
    assert.deepEqual(await ask('SELECT 1 AS one'), { one: 1 });
  });

  test('an interrupted first start: repeated from the beginning', async () => {
    const dir = join(parentDir, 'interrupted');
    await mkdir(join(dir, 'postgres.partial'), { recursive: true });
    await writeFile(join(dir, 'postgres.partial', 'PG_VERSION'), '18\n');
    assert.deepEqual(await ask('SELECT 1 AS one', dir), { one: 1 });
  });

  test('disposable data: deleted even if the parent is killed', async () => {
    const dir = join(parentDir, 'disposable');
    const { child } = await startChild(dir, 'disposable');
    await access(join(dir, 'postgres'));
    await kill(child);
    await until(async () => !(await exists(dir)));
  });

  test('namespaces refused: root runs the server unprivileged, both ways read the same data', {
    skip: !(isLinux && isRoot),
  }, async () => {
    const dir = join(parentDir, 'unprivileged');
    const restorePath = await replaceUnshare(join(parentDir, 'no-namespaces'), 'exit 1');
    try {
      await withServer(
        async (server) => {
          await queryRow(server.connectionString, 'CREATE TABLE shared AS SELECT 3 AS value');
          assert.notEqual((await stat(`/proc/${server.pid}`)).uid, 0);
        },
        { dataDir: dir },
      );
    } finally {
      restorePath();
    }
    assert.equal((await stat(dir)).mode & 0o777, 0o700);
    assert.deepEqual(await ask('SELECT value FROM shared', dir), { value: 3 });
  });

  test('files of another user: keep their owner when root starts on them', { skip: !(isLinux && isRoot) }, async () => {
    const dir = join(parentDir, 'of-somebody');
    const { uid, gid } = await unprivilegedUser();
    await mkdir(dir, { mode: 0o700 });
    await chown(dir, uid, gid);
    for (const start of ['first', 'next']) {
      await withServer(async (server) => assert.equal((await stat(`/proc/${server.pid}`)).uid, uid, start), {
        dataDir: dir,
      });
    }
    assert.equal((await stat(join(dir, 'postgres'))).uid, uid);
  });
});
