import { connect, type Socket } from 'node:net';

/** What one run of load came to. Latencies are milliseconds. */
export interface LoadResult {
  answered: number;
  seconds: number;
  perSecond: number;
  /** Answers by status; `unsent` were due and found no free connection until the end, `closed` connections broke off. */
  statuses: Record<string, number>;
  p50: number;
  p99: number;
  max: number;
  latencies: readonly number[];
  /** 99th percentile by status, from when the request was written: what the server alone answers for. */
  serverP99: Record<string, number>;
}

export interface LoadOptions {
  port: number;
  connections: number;
  seconds: number;
  /** The whole HTTP request to send, made anew for each. */
  request: () => Buffer | string;
  /** Requests started per second whatever comes back; without it each connection sends as soon as it is answered. */
  perSecond?: number;
  /** Latencies of what was due before so many milliseconds are left out: while the server is still taking the connections in. */
  uncountedMs?: number;
}

const OPENED_AT_ONCE = 64;
const OPENED_EVERY_MS = 10;

/**
 * Puts load on a local HTTP server over keep-alive connections. With `perSecond` the load is open: requests start on time, a late
 * answer does not delay the next, and latency counts from when a request was due; a connection that is told when to come again rests
 * until then.
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
  // Read from `dueRead` on: taking the first out of a long array would cost more than sending it.
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
    const again = (connection: Connection, status: string, dueAt: number) => {
      const now = note(connection, status, dueAt);
      if (now < endsAt) connection.send(options.request(), now, again);
      else idle.push(connection);
    };
    for (const connection of idle.splice(0)) connection.send(options.request(), performance.now(), again);
  } else {
    let started = 0;
    const intervalMs = 1000 / options.perSecond;
    await new Promise<void>((resolve) => {
      const tick = () => {
        const now = performance.now();
        while (startedAt + started * intervalMs <= now && now < endsAt) {
          const dueAt = startedAt + started * intervalMs;
          started += 1;
          // In turn, since the server closes a connection that has never been used.
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

/** Several runs of the same load as one. */
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

/** The value that such a share of them lie below; 1 for the largest. */
export function percentilesOf(values: readonly number[]): (share: number) => number {
  const sorted = Float64Array.from(values).sort();
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** One keep-alive connection with one request at a time. Reads just enough of HTTP to know status and end of an answer. */
class Connection {
  readonly #socket: Socket;
  #buffer = '';
  #done: ((connection: Connection, status: string, dueAt: number) => void) | undefined;
  #dueAt = 0;
  /** When the request under way was written. */
  sentAt = 0;
  /** What its last answer asked for. */
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

/** Little by little: of more that knock than a server takes in the rest is dropped, and knocks again a second later. */
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

/** An HTTP POST as bytes. */
export function postRequest(path: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries({ host: '127.0.0.1', 'content-type': 'application/json', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
