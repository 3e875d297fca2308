import { connect, type Socket } from 'node:net';

/** The result of one load run. Latencies are milliseconds. */
export interface LoadResult {
  answered: number;
  seconds: number;
  perSecond: number;
  /** Answers by status; `unsent` requests were due but found no free connection until the end, `closed` counts broken connections. */
  statuses: Record<string, number>;
  p50: number;
  p99: number;
  max: number;
  latencies: readonly number[];
  /** 99th percentile by status, from the time the request was written: the server's own share. */
  serverP99: Record<string, number>;
}

export interface LoadOptions {
  port: number;
  connections: number;
  seconds: number;
  /** Returns the next HTTP request, complete. */
  request: () => Buffer | string;
  /** Requests started per second regardless of answers; if absent, each connection sends as soon as it is answered. */
  perSecond?: number;
  /** False while no request may start, without `perSecond`; the connections wait. */
  mayStart?: () => boolean;
  /** Time at the start, ms, whose latencies are not counted, because the server still accepts the connections. */
  uncountedMs?: number;
}

const OPENED_AT_ONCE = 64;
const OPENED_EVERY_MS = 10;
const START_LOOK_MS = 2;

/**
 * Puts load on a local HTTP server over keep-alive connections. With `perSecond` the load is open: requests start on time, a late answer
 * does not delay the next, and latency counts from the time a request was due. A connection that receives Retry-After rests until then.
 */
export async function putLoad(options: LoadOptions): Promise<LoadResult> {
  let answered = 0;
  const latencies: number[] = [];
  const serverLatencies: Record<string, number[]> = {};
  const statuses: Record<string, number> = {};
  const sockets = await openAll(options.port, options.connections);
  const startedAt = performance.now();
  const endsAt = startedAt + options.seconds * 1000;
  const idle: Connection[] = sockets.map((socket) => new Connection(socket));
  // Read from `dueRead` on: a shift of a long array would cost more than the send.
  const due: number[] = [];
  let dueRead = 0;

  const { uncountedMs = 0 } = options;
  const note = (connection: Connection, status: string, dueAt: number) => {
    const now = performance.now();
    answered += 1;
    if (dueAt >= startedAt + uncountedMs) latencies.push(now - dueAt);
    statuses[status] = (statuses[status] ?? 0) + 1;
    const ofStatus = serverLatencies[status] ?? [];
    serverLatencies[status] = ofStatus;
    ofStatus.push(now - connection.sentAt);
    return now;
  };
  let resting = 0;
  const finish = (connection: Connection, status: string, dueAt: number) => {
    note(connection, status, dueAt);
    if (connection.retryAfterMs === 0) return goOn(connection);
    resting += 1;
    setTimeout(() => {
      resting -= 1;
      goOn(connection);
    }, connection.retryAfterMs);
  };
  const goOn = (connection: Connection) => {
    const next = due[dueRead];
    if (next === undefined || performance.now() >= endsAt) {
      idle.push(connection);
      return;
    }
    dueRead += 1;
    connection.send(options.request(), next, finish);
  };

  if (options.perSecond === undefined) {
    const { mayStart = () => true } = options;
    const start = (connection: Connection, now: number) => {
      if (now >= endsAt) idle.push(connection);
      else if (mayStart()) connection.send(options.request(), now, again);
      else setTimeout(() => start(connection, performance.now()), START_LOOK_MS);
    };
    const again = (connection: Connection, status: string, dueAt: number) =>
      start(connection, note(connection, status, dueAt));
    for (const connection of idle.splice(0)) start(connection, performance.now());
  } else {
    let started = 0;
    const intervalMs = 1000 / options.perSecond;
    await new Promise<void>((resolve) => {
      const tick = () => {
        const now = performance.now();
        while (startedAt + started * intervalMs <= now && now < endsAt) {
          const dueAt = startedAt + started * intervalMs;
          started += 1;
          // Connections are used in turn, because the server closes a connection that was never used.
          const connection = idle.shift();
          if (connection === undefined) due.push(dueAt);
          else connection.send(options.request(), dueAt, finish);
        }
        if (now >= endsAt) resolve();
        else setTimeout(tick, 1);
      };
      tick();
    });
  }
  if (due.length > dueRead) statuses.unsent = due.length - dueRead;
  const patience = endsAt + 15_000;
  while (idle.length + resting < sockets.length && performance.now() < patience)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const seconds = (performance.now() - startedAt) / 1000;
  for (const socket of sockets) socket.destroy();
  const at = percentilesOf(latencies);
  const serverP99 = Object.fromEntries(
    Object.entries(serverLatencies).map(([status, values]) => [status, percentilesOf(values)(0.99)]),
  );
  const [p50, p99, max] = [at(0.5), at(0.99), at(1)];
  return { answered, seconds, perSecond: answered / seconds, statuses, p50, p99, max, latencies, serverP99 };
}

/** Combines several runs of the same load into one result. */
export function joinLoads(
  runs: readonly LoadResult[],
): Pick<LoadResult, 'answered' | 'seconds' | 'perSecond' | 'statuses' | 'p50' | 'p99'> {
  const statuses: Record<string, number> = {};
  for (const [status, count] of runs.flatMap((run) => Object.entries(run.statuses))) {
    statuses[status] = (statuses[status] ?? 0) + count;
  }
  const answered = runs.reduce((sum, run) => sum + run.answered, 0);
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0);
  const at = percentilesOf(runs.flatMap((run) => run.latencies));
  return { answered, seconds, perSecond: answered / seconds, statuses, p50: at(0.5), p99: at(0.99) };
}

/** Returns a function from a share to its percentile; 1 gives the largest value. */
export function percentilesOf(values: readonly number[]): (share: number) => number {
  const sorted = Float64Array.from(values).sort();
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** One keep-alive connection with one request at a time. Parses just enough of HTTP to find the status and the end of an answer. */
class Connection {
  readonly #socket: Socket;
  #buffer = '';
  #done: ((connection: Connection, status: string, dueAt: number) => void) | undefined;
  #dueAt = 0;
  /** Time at which the current request was written. */
  sentAt = 0;
  /** Wait that its last answer demanded. */
  retryAfterMs = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#read(chunk));
    socket.on('close', () => this.#finish('closed'));
  }

  send(
    request: Buffer | string,
    dueAt: number,
    done: (connection: Connection, status: string, dueAt: number) => void,
  ): void {
    this.#done = done;
    this.#dueAt = dueAt;
    this.sentAt = performance.now();
    this.#socket.write(request);
  }

  #read(chunk: string): void {
    this.#buffer = this.#buffer === '' ? chunk : this.#buffer + chunk;
    const head = this.#buffer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = /content-length: (\d+)/i.exec(this.#buffer.slice(0, head));
    if (this.#buffer.length < head + 4 + Number(length?.[1] ?? 0)) return;
    const status = this.#buffer.slice(9, 12);
    this.retryAfterMs = 1_000 * Number(/^retry-after: (\d+)/im.exec(this.#buffer.slice(0, head))?.[1] ?? 0);
    this.#buffer = '';
    this.#finish(status);
  }

  #finish(status: string): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(this, status, this.#dueAt);
  }
}

/**
 * Opens connections in small groups. Beyond the server's accept backlog, connection attempts are dropped and repeated only a second later.
 */
async function openAll(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(OPENED_AT_ONCE, count - sockets.length) }, () => open(port));
    sockets.push(...(await Promise.all(some)));
    if (sockets.length < count) await new Promise((resolve) => setTimeout(resolve, OPENED_EVERY_MS));
  }
  return sockets;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Returns an HTTP POST as bytes. */
export function postRequest(path: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries({ host: '127.0.0.1', 'content-type': 'application/json', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
