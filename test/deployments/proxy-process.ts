import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';

const FILES = join(import.meta.dirname, '../../deploy/proxies');
/** The addresses of the nodes, and of the PostgreSQL servers, in the documented files. */
const ADDRESSES = ['10.0.0.11', '10.0.0.12'];
const SERVER_ADDRESSES = ['10.0.0.21', '10.0.0.22', '10.0.0.23'];
const READY_MS_MAX = 10_000;

export interface ProxyProcess {
  name: string;
  baseUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts HAProxy with its documented files in `dir`: the nodes' addresses, the listener (without TLS) and the paths of files are replaced,
 * and nothing else.
 */
export async function startHaproxy(dir: string, ports: readonly number[]): Promise<ProxyProcess> {
  const port = await findFreePort();
  const state = join(dir, 'haproxy.state');
  await writeFile(state, withPorts(await readFile(join(FILES, 'haproxy.state'), 'utf8'), ports));
  const file = await place(dir, 'haproxy.cfg', ports, [
    ['/etc/haproxy/fairway.state', state],
    ['/run/haproxy/admin.sock', join(dir, 'haproxy.sock')],
    ['bind :443 ssl crt /etc/haproxy/certs/', `bind 127.0.0.1:${port}`],
  ]);
  return await awaitListening(
    'HAProxy',
    spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] }),
    port,
  );
}

/** Does the same with HAProxy in front of three PostgreSQL servers. */
export async function startPrimaryProxy(dir: string, ports: readonly number[]): Promise<ProxyProcess> {
  const port = await findFreePort();
  const file = await place(dir, 'haproxy-postgres.cfg', ports, [
    ['/etc/haproxy/check-primary', join(FILES, 'check-primary')],
    ['bind :5432', `bind 127.0.0.1:${port}`],
  ]);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  return await awaitListening('HAProxy', child, port);
}

/** Does the same with nginx; `changes` are further replacements in its file. */
export async function startNginx(
  dir: string,
  ports: readonly number[],
  changes: readonly (readonly [from: string, to: string])[] = [],
): Promise<ProxyProcess> {
  const port = await findFreePort();
  const site = await place(dir, 'nginx.conf', ports, [
    ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
    ['    ssl_certificate     /etc/nginx/certs/fairway.crt;\n', ''],
    ['    ssl_certificate_key /etc/nginx/certs/fairway.key;\n', ''],
    ...changes,
  ]);
  const main = join(dir, 'main.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`);
  await writeFile(
    main,
    [
      `daemon off; pid ${dir}/nginx.pid; error_log ${dir}/nginx.log;`,
      'events { worker_connections 512; }',
      `http { access_log off; ${paths.join(' ')} include ${site}; }`,
    ].join('\n'),
  );
  return await awaitListening(
    'nginx',
    spawn('nginx', ['-c', main, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] }),
    port,
  );
}

/** Writes a documented file to `dir` with replacements, each of which has to match. */
async function place(
  dir: string,
  name: string,
  ports: readonly number[],
  changes: readonly (readonly [from: string, to: string])[],
): Promise<string> {
  let text = withPorts(await readFile(join(FILES, name), 'utf8'), ports);
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${name} has no "${from}"`);
    text = text.replaceAll(from, to);
  }
  const file = join(dir, name);
  await writeFile(file, text);
  return file;
}

function withPorts(text: string, ports: readonly number[]): string {
  const lines = text.split('\n').map((line) => {
    for (const [addresses, port] of [
      [ADDRESSES, /\b8080\b/],
      [SERVER_ADDRESSES, /\b5432\b/],
    ] as const) {
      const place = addresses.findIndex((address) => line.includes(address));
      if (place >= 0) return line.replace(addresses[place] ?? '', '127.0.0.1').replace(port, String(ports[place]));
    }
    return line;
  });
  return lines.join('\n');
}

/** Resolves when a program listens on its port; `signal` ends it. Throws its output if it does not start. */
export async function awaitListening(
  name: string,
  child: ChildProcess,
  port: number,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<ProxyProcess> {
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4_000);
  });
  const deadline = performance.now() + READY_MS_MAX;
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${name} did not start:\n${output}`);
    await delay(10);
  }
  return {
    name,
    baseUrl: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
