import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';

export interface PgBouncer {
  /** URL of the database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  poolMode: 'session' | 'transaction' | 'statement';
  /** Sessions of the server that clients share. */
  poolSize?: number;
  /** Startup parameters that it drops instead of refusing them. */
  ignores?: string;
}

const READY_MS_MAX = 10_000;

/** True if PgBouncer is installed. */
export function hasPgBouncer(): boolean {
  try {
    execFileSync('pgbouncer', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** Starts PgBouncer in front of a database on loopback, in a temporary directory. */
export async function startPgBouncer(databaseUrl: string, options: PgBouncerOptions): Promise<PgBouncer> {
  const server = new URL(databaseUrl);
  const dir = await mkdtemp(join(tmpdir(), 'fairway-pgbouncer-'));
  const port = await findFreePort();
  const name = server.pathname.slice(1);
  const login = `user=${server.username}${server.password === '' ? '' : ` password=${decodeURIComponent(server.password)}`}`;
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: options.poolMode,
    default_pool_size: options.poolSize ?? 12,
    max_client_conn: 400,
    server_login_retry: 1,
    ...(options.ignores !== undefined && { ignore_startup_parameters: options.ignores }),
  };
  const file = join(dir, 'pgbouncer.ini');
  await writeFile(
    file,
    [
      '[databases]',
      `${name} = host=${server.hostname} port=${server.port} dbname=${name} ${login}`,
      '[pgbouncer]',
      ...Object.entries(settings).map(([key, value]) => `${key} = ${value}`),
      '',
    ].join('\n'),
  );
  // PgBouncer refuses to run as root; in a user namespace it appears as another user.
  const [command = '', ...args] = [
    ...(process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=1'] : []),
    'pgbouncer',
    file,
  ];
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4_000);
  });
  await untilListening(child, port, () => output);
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    async stop() {
      if (child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function untilListening(child: ChildProcess, port: number, output: () => string): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`PgBouncer did not start:\n${output()}`);
    await delay(20);
  }
}
