import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';
import { chooseServerAccount } from '../../src/embedded-postgres/server-account.ts';
import { binariesIn } from '../../src/embedded-postgres/server-binaries.ts';

const run = promisify(execFile);

/** Installation of Debian's package postgresql-15. */
export const INSTALLATION = process.env.TEST_POSTGRES || '/usr/lib/postgresql/15';

/** Name of the gateway's role and of its database. */
const OWN = 'fairway';
const SUPERUSER = 'postgres';
const READY_MS_MAX = 60_000;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  max_locks_per_transaction: '256',
  wal_keep_size: '512MB',
  wal_retrieve_retry_interval: '200ms',
  hot_standby: 'on',
};

/** One PostgreSQL server of an installed package, on loopback, without passwords. */
export class PostgresServer {
  readonly name: string;
  readonly port: number;
  readonly dir: string;
  readonly #prefix: readonly string[];
  /** Directory of the installation, with `bin/`. */
  readonly installation: string;
  #process: ChildProcess | undefined;

  private constructor(options: {
    name: string;
    port: number;
    dir: string;
    prefix: readonly string[];
    installation: string;
  }) {
    this.name = options.name;
    this.port = options.port;
    this.dir = options.dir;
    this.#prefix = options.prefix;
    this.installation = options.installation;
  }

  /** Prepares a server in `parentDir` without data. */
  static async prepare(parentDir: string, name: string, installation = INSTALLATION): Promise<PostgresServer> {
    await mkdir(parentDir, { recursive: true });
    const log = pino({ level: 'silent' });
    const { prefix } = await chooseServerAccount({ log }, binariesIn(installation), parentDir);
    return new PostgresServer({ name, port: await findFreePort(), dir: join(parentDir, name), prefix, installation });
  }

  /** Creates an empty cluster with the gateway's role and its database, and starts it. */
  async create(settings: Record<string, string> = {}): Promise<void> {
    await this.createEmpty(settings);
    await this.query(`CREATE DATABASE ${OWN} OWNER ${OWN}`, 'postgres');
  }

  /** Creates an empty cluster with the gateway's role and without its database, and starts it. */
  async createEmpty(settings: Record<string, string> = {}): Promise<void> {
    await this.#run('initdb', [
      '-D',
      this.dir,
      '-U',
      SUPERUSER,
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--data-checksums',
      '--no-instructions',
    ]);
    await this.adopt(settings);
    await this.query(`CREATE ROLE ${OWN} LOGIN`, 'postgres');
  }

  /** Starts on a cluster that another program has made in `dir`. */
  async adopt(settings: Record<string, string> = {}): Promise<void> {
    await appendFile(join(this.dir, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 trust\n');
    await this.configure({ ...SETTINGS, port: String(this.port), ...settings });
    await this.start();
  }

  /** Replaces the data by a copy of `primary`, and starts as its standby. Follows whichever of `servers` takes writes. */
  async follow(primary: PostgresServer, servers: readonly PostgresServer[]): Promise<void> {
    await this.stop();
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5 });
    const source = `host=127.0.0.1 port=${primary.port} user=${SUPERUSER}`;
    await this.#run('pg_basebackup', ['-D', this.dir, '-d', source, '-c', 'fast', '-X', 'stream', '-R']);
    const hosts = servers.map(() => '127.0.0.1').join();
    const ports = servers.map(({ port }) => port).join();
    await this.configure({
      port: String(this.port),
      primary_conninfo: `host=${hosts} port=${ports} user=${SUPERUSER} application_name=${this.name} target_session_attrs=read-write`,
    });
    await this.start();
  }

  async configure(settings: Record<string, string>): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
    await appendFile(join(this.dir, 'postgresql.auto.conf'), lines.join(''));
  }

  /** Changes settings of the running server. */
  async reconfigure(settings: Record<string, string>): Promise<void> {
    await this.configure(settings);
    await this.query('SELECT pg_reload_conf()', 'postgres');
  }

  async start(): Promise<void> {
    const output = await open(join(this.dir, '..', `${this.name}.log`), 'a');
    const [command = '', ...args] = [...this.#prefix, join(this.installation, 'bin', 'postgres'), '-D', this.dir];
    const server = spawn(command, args, { stdio: ['ignore', output.fd, output.fd], cwd: '/' });
    await output.close();
    this.#process = server;
    const deadline = performance.now() + READY_MS_MAX;
    for (;;) {
      try {
        await this.query('SELECT 1', 'postgres');
        return;
      } catch (error) {
        if (server.exitCode !== null || performance.now() > deadline)
          throw new Error(`PostgreSQL ${this.name} did not start; see its log in ${this.dir}/..`, { cause: error });
      }
      await delay(50);
    }
  }

  /** Kills the server and all its processes with SIGKILL. */
  async kill(): Promise<void> {
    const server = this.#process;
    if (server?.pid === undefined || server.exitCode !== null) return;
    // Without SIGSTOP, the server may fork another backend during the listing.
    server.kill('SIGSTOP');
    const children = await childrenOf(server.pid);
    const ended = once(server, 'exit');
    for (const pid of [server.pid, ...children.map((child) => child.pid)]) process.kill(pid, 'SIGKILL');
    await ended;
    this.#process = undefined;
  }

  /** Stops the processes that send changes to standbys, so that these fall behind. */
  async silenceReplication(): Promise<void> {
    const senders = (await childrenOf(this.#process?.pid ?? 0)).filter(({ title }) => title.includes('walsender'));
    for (const { pid } of senders) process.kill(pid, 'SIGSTOP');
  }

  async stop(): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  }

  /** Makes a standby a primary; resolves when it takes writes. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 60)', 'postgres');
  }

  /** Runs one statement as superuser. */
  async query<Row extends pg.QueryResultRow>(text: string, database = OWN): Promise<Row[]> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: this.port,
      user: SUPERUSER,
      database,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** URL of the gateway's database, as its owner. */
  get url(): string {
    return urlOf([this]);
  }

  /** URL of the database `postgres`, as superuser. */
  get superuserUrl(): string {
    return `postgres://${SUPERUSER}@127.0.0.1:${this.port}/postgres`;
  }

  /** Runs a program of the installation. */
  async tool(program: string, args: readonly string[]): Promise<string> {
    return await this.#run(program, args);
  }

  /** Runs a script of the shell as the account of the server, with the programs of an installation: the server's own by default. */
  async shell(script: string, variables: Record<string, string>, installation = this.installation): Promise<string> {
    const path = `${join(installation, 'bin')}:${process.env.PATH}`;
    const [command = '', ...args] = [...this.#prefix, 'bash', '-euo', 'pipefail', '-c', script];
    const { stdout } = await run(command, args, {
      cwd: join(this.dir, '..'),
      env: { PATH: path, ...variables },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  }

  async #run(program: string, args: readonly string[]): Promise<string> {
    const [command = '', ...rest] = [...this.#prefix, join(this.installation, 'bin', program), ...args];
    const { stdout } = await run(command, rest, { cwd: '/', maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  }
}

/** URL of the gateway's database on whichever of the servers takes writes. */
export function urlOf(servers: readonly Pick<PostgresServer, 'port'>[]): string {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join();
  return `postgres://${OWN}@${hosts}/${OWN}${servers.length > 1 ? '?target_session_attrs=read-write' : ''}`;
}

async function childrenOf(parent: number): Promise<{ pid: number; title: string }[]> {
  const children: { pid: number; title: string }[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // A process may end between the listing and the reads.
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const [, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(parentPid) !== parent) continue;
    const title = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    children.push({ pid: Number(entry), title });
  }
  return children;
}
