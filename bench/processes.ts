import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type CpuSeconds, cpuOf } from './cpu.ts';

/** A helper process of a benchmark, listening on `port`. */
export interface BenchProcess {
  port: number;
  child: ChildProcess;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
/** Directories of the gateways, which an interrupted run has to delete. */
const dataDirs = new Set<string>();
let isEnding = false;

/** Registers a process that has to end with the run, however the run ends. Throws if the run is ending. */
export function endsWithRun<Child extends ChildProcess>(child: Child): Child {
  if (isEnding) {
    child.kill('SIGKILL');
    throw new Error('the run is ending');
  }
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Ends all processes that still run. */
export function endProcesses(): void {
  for (const child of running) child.kill();
}

/** Ends all processes that still run, waits for their ends and deletes the databases. */
export async function endRun(): Promise<void> {
  isEnding = true;
  await Promise.all([...running].map((child) => end(child)));
  for (const dataDir of dataDirs) await rm(dataDir, { recursive: true, force: true });
}

/** Starts a file of this folder that reports its port. */
export async function startHelper(file: string, ...args: string[]): Promise<BenchProcess> {
  const child = endsWithRun(fork(join(import.meta.dirname, file), args));
  const { port } = await nextMessage<{ port: number }>(child, file);
  return { port, child, stop: () => end(child) };
}

/** Sends a question to a helper and resolves with its answer. One question at a time. */
export function ask<Answer>({ child }: BenchProcess, question: string | object): Promise<Answer> {
  const answer = nextMessage<Answer>(child, JSON.stringify(question));
  child.send(question);
  return answer;
}

/** Returns the number of messages that the upstream sink has accepted. */
export async function takenBy(sink: BenchProcess): Promise<number> {
  return (await ask<{ taken: number }>(sink, 'taken?')).taken;
}

/** Measures the messages per second that the upstream sink accepts over `seconds`. */
export async function takenPerSecond(sink: BenchProcess, seconds: number): Promise<number> {
  const before = await takenBy(sink);
  const startedAt = performance.now();
  await pause(seconds * 1000);
  return ((await takenBy(sink)) - before) / ((performance.now() - startedAt) / 1000);
}

function nextMessage<Message>(child: ChildProcess, what: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${what}: the process ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as Message);
    });
  });
}

/** Calls an API below one path with one token. Resolves with the parsed body; throws unless the answer is 2xx. */
type CallJson = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** A gateway with its own database directory, provisioned for one tenant. */
export interface BenchGateway extends BenchProcess {
  organizationId: string;
  apiKey: string;
  numbers: string[];
  admin: CallJson;
  /** CPU seconds since the start. */
  cpu(): Promise<CpuSeconds>;
  /** Resident memory of the gateway in bytes. */
  memory(): Promise<number>;
  /** Highest resident memory of the gateway since its start, in bytes. */
  highestMemory(): Promise<number>;
  /** Ends the process. Its database ends with it, and stays on the disk. */
  halt(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts a halted gateway again, with further settings in `env`. */
  resume(env?: Record<string, string>): Promise<void>;
  /** Ends the process and starts another one with the same database. */
  restart(): Promise<void>;
  /** Returns a second gateway, halted, with a copy of this halted gateway's database. */
  copy(): Promise<BenchGateway>;
  /** Bearer token of its operator. */
  adminToken: string;
  /** URL of its database while it runs. */
  databaseUrl(): Promise<string>;
  /** Runs `work` with a connection to the gateway's database. */
  inDatabase<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result>;
}

const THIS_CHECKOUT = join(import.meta.dirname, '..');

/**
 * Starts `fairway serve` of a checkout on an empty directory against the given upstream, with further settings in `env`, and connects its
 * WABA.
 */
export async function startBenchGateway(
  upstreamPort: number,
  env: Record<string, string> = {},
  checkout = THIS_CHECKOUT,
): Promise<BenchGateway> {
  const execArgv = await memorySettingsOf(checkout);
  const serve = (dataDir: string, more: Record<string, string> = {}) =>
    endsWithRun(
      fork(join(checkout, 'src/main.ts'), ['serve'], {
        execArgv,
        env: {
          ...process.env,
          DATA_DIR: dataDir,
          PORT: '0',
          UPSTREAM_BASE_URL: `http://127.0.0.1:${upstreamPort}/v24.0`,
          UPSTREAM_APP_SECRET: 'bench-secret',
          UPSTREAM_VERIFY_TOKEN: 'bench-token',
          LOG_LEVEL: 'warn',
          ...env,
          ...more,
        },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      }),
    );
  const dataDir = await makeDataDir();
  const child = serve(dataDir);
  const port = await readPort(child);
  const adminToken = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  const admin = callerOf(port, '/admin/v1', adminToken);
  const organization = (await admin('POST', '/organizations', { name: 'Bench' })) as { id: string };
  const key = (await admin('POST', `/organizations/${organization.id}/api-keys`, {})) as { key: string };
  const connection = { waba_id: '100', access_token: 'EAAbench' };
  const waba = (await admin('POST', `/organizations/${organization.id}/wabas`, connection)) as {
    numbers: { phone_number_id: string }[];
  };
  const tenant = {
    adminToken,
    organizationId: organization.id,
    apiKey: key.key,
    numbers: waba.numbers.map((number) => number.phone_number_id),
  };
  return gatewayOn(dataDir, { child, port }, tenant, serve);
}

/** Describes a gateway on its directory: the process that runs now or ran last, and its first tenant. */
function gatewayOn(
  dataDir: string,
  latest: { child: ChildProcess; port: number },
  tenant: Pick<BenchGateway, 'adminToken' | 'organizationId' | 'apiKey' | 'numbers'>,
  serve: (dataDir: string, more?: Record<string, string>) => ChildProcess,
): BenchGateway {
  let { child, port } = latest;
  const statusOf = async (field: string) => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
  };
  const databaseUrl = async () => {
    const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
    const postmaster = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n');
    return `postgres://fairway:${password}@127.0.0.1:${postmaster[3]}/fairway`;
  };
  const halt = (signal?: 'SIGTERM' | 'SIGKILL') => end(child, signal);
  const resume = async (more?: Record<string, string>) => {
    child = serve(dataDir, more);
    port = await readPort(child);
  };
  return {
    ...tenant,
    get port() {
      return port;
    },
    get child() {
      return child;
    },
    admin: (...call) => callerOf(port, '/admin/v1', tenant.adminToken)(...call),
    cpu: () => cpuOf(child.pid ?? 0),
    memory: () => statusOf('VmRSS'),
    highestMemory: () => statusOf('VmHWM'),
    halt,
    resume,
    async restart() {
      await halt();
      await resume();
    },
    async copy() {
      const copyDir = await makeDataDir();
      await cp(dataDir, copyDir, { recursive: true });
      return gatewayOn(copyDir, { child, port }, tenant, serve);
    },
    databaseUrl,
    async inDatabase(work) {
      const client = new pg.Client({ connectionString: await databaseUrl() });
      await client.connect();
      return await work(client).finally(() => client.end());
    },
    async stop() {
      await halt();
      await rm(dataDir, { recursive: true, force: true });
      dataDirs.delete(dataDir);
    },
  };
}

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairway-bench-'));
  dataDirs.add(dataDir);
  return dataDir;
}

/** Returns the memory settings of a checkout's `npm start`. */
async function memorySettingsOf(checkout: string): Promise<string[]> {
  const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

/** Runs `work` with a gateway and the upstream it sends to, a helper of this folder with its arguments; ends both. */
export async function withGateway<Result>(
  [file, ...args]: readonly [file: string, ...args: string[]],
  work: (gateway: BenchGateway, upstream: BenchProcess) => Promise<Result>,
  env?: Record<string, string>,
): Promise<Result> {
  const upstream = await startHelper(file, ...args);
  const gateway = await startBenchGateway(upstream.port, env);
  try {
    return await work(gateway, upstream);
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
}

/** Samples the gateway's memory until stopped; resolves with the samples in bytes. */
export function watchMemory(gateway: BenchGateway, everyMs: number): { stop(): Promise<number[]> } {
  const looks = [gateway.memory()];
  const timer = setInterval(() => looks.push(gateway.memory()), everyMs);
  return {
    stop() {
      clearInterval(timer);
      return Promise.all([...looks, gateway.memory()]);
    },
  };
}

/** Pauses or resumes all numbers of the gateway. */
export async function pauseAll(gateway: BenchGateway, paused: boolean): Promise<void> {
  for (let from = 0; from < gateway.numbers.length; from += 100) {
    const some = gateway.numbers.slice(from, from + 100);
    await Promise.all(some.map((number) => gateway.admin('PATCH', `/numbers/${number}`, { paused })));
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Returns a caller of a local server's API with `token`. */
export function callerOf(port: number, base: string, token: string): CallJson {
  return async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${base}${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

async function readPort(child: ChildProcess): Promise<number> {
  let printed = '';
  return await new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      const match = /Fairway is ready: http:\/\/[^:]+:(\d+)/.exec(printed);
      if (match?.[1] !== undefined) resolve(Number(match[1]));
    });
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${printed}`)));
  });
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
