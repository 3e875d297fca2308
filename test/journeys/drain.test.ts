import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '../harness/tenant.ts';

const CLIENTS = 24;

interface Target {
  port: number;
  apiKey: string;
  phoneNumberId: string;
}

describe('a gateway stopped under load', () => {
  let dataDir: string;
  let child: ChildProcess;
  let target: Target;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fairway-drain-'));
    child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), 'serve'], {
      env: { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL: '', UPSTREAM_BASE_URL: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    target = await readBanner(child);
  });
  after(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });

  it('answers every request sent, announces the stop to its clients, and exits 0 in time', async () => {
    const clients = Array.from({ length: CLIENTS }, () => new Client(target));
    await until('every client was answered a few times', () =>
      clients.every((client) => client.answered > 5) ? true : undefined,
    );
    const startedAtMs = performance.now();
    child.kill('SIGTERM');
    await until('it is no longer ready', () => notReady(target.port));
    await until('nobody can connect', async () => ((await open(target.port)) === undefined ? true : undefined));
    const [code] = await once(child, 'exit');
    const tookMs = performance.now() - startedAtMs;
    await Promise.all(clients.map((client) => client.over));
    assert.equal(code, 0);
    assert.ok(tookMs < 15_000, `took ${tookMs} ms`);
    assert.deepEqual(
      clients.flatMap((client) => client.failures),
      [],
    );
    assert.ok(
      clients.every((client) => client.closedAfterAnswer > 0),
      'every client was told that its connection ends',
    );
    const statuses = new Set(clients.flatMap((client) => [...client.statuses]));
    assert.deepEqual([...statuses], [202]);
  });
});

/** Reads the listening port and the demo tenant's credentials from the banner. */
function readBanner(child: ChildProcess): Promise<Target> {
  let printed = '';
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${printed}`)));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      const [, port] = /Fairway is ready: http:\/\/[^:]+:(\d+)/.exec(printed) ?? [];
      const [, apiKey] = /demo API key +(\S+)/.exec(printed) ?? [];
      const [, phoneNumberId] = /demo number +(\d+)/.exec(printed) ?? [];
      if (port === undefined || apiKey === undefined || phoneNumberId === undefined) return;
      resolve({ port: Number(port), apiKey, phoneNumberId });
    });
  });
}

async function notReady(port: number): Promise<true | undefined> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 503 ? true : undefined;
  } catch {
    return true;
  }
}

let recipient = 5_550_000;

/** Sends one message after the other over keep-alive connections and reconnects when asked, until the port is closed. */
class Client {
  answered = 0;
  closedAfterAnswer = 0;
  readonly statuses = new Set<number>();
  /** Requests sent and not answered. */
  readonly failures: string[] = [];
  readonly over: Promise<void>;
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
    this.over = this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      const socket = await open(this.#target.port);
      if (socket === undefined) return;
      try {
        for (let isLast = false; !isLast; ) {
          const answer = await exchange(socket, this.#target);
          this.answered += 1;
          this.statuses.add(answer.status);
          isLast = answer.isLast;
        }
        this.closedAfterAnswer += 1;
      } catch (error) {
        this.failures.push(String(error));
      }
      socket.destroy();
    }
  }
}

/** Sends one request and reads its answer; `isLast` if the answer says that it is the connection's last. */
function exchange(socket: Socket, { apiKey, phoneNumberId }: Target): Promise<{ status: number; isLast: boolean }> {
  recipient += 1;
  const body = JSON.stringify({
    messaging_product: 'whatsapp',
    to: `+1415${recipient}`,
    type: 'template',
    template: { name: 'hello_world', language: { code: 'en_US' } },
  });
  return new Promise((resolve, reject) => {
    if (socket.destroyed || socket.readableEnded) throw new Error('closed before anything was sent');
    let answer = '';
    const fail = (what: string) => () => reject(new Error(`${what} after ${JSON.stringify(answer.slice(0, 100))}`));
    const [onError, onClose] = [fail('error'), fail('closed')];
    const onData = (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      const head = answer.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0);
      if (head < 0 || answer.length < head + 4 + length) return;
      socket.off('data', onData).off('error', onError).off('close', onClose);
      const isLast = /\r\nconnection: close\r\n/i.test(answer.slice(0, head + 2));
      resolve({ status: Number(answer.slice(9, 12)), isLast });
    };
    socket.on('data', onData).on('error', onError).on('close', onClose);
    socket.write(
      `POST /v1/${phoneNumberId}/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

/** Opens a connection; undefined if the port is closed. */
function open(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const onError = () => resolve(undefined);
    socket.once('error', onError).once('connect', () => {
      // A failure between two exchanges is reported by the next exchange.
      socket.off('error', onError).on('error', () => {});
      resolve(socket);
    });
  });
}
