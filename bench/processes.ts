import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A helper process of a benchmark, listening on `port`. */
export interface BenchProcess {
  port: number;
  child: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a file of this folder that reports its port. */
export async function startHelper(file: string, ...args: string[]): Promise<BenchProcess> {
  const child = fork(join(import.meta.dirname, file), args);
  const [message] = (await once(child, 'message')) as [{ port: number }];
  return { port: message.port, child, stop: () => end(child) };
}

/** A gateway with its own database directory, provisioned for one tenant. */
export interface BenchGateway extends BenchProcess {
  apiKey: string;
  adminToken: string;
  numbers: string[];
  organizationId: string;
  databaseUrl: string;
  dataDir: string;
  admin(method: string, path: string, body?: unknown): Promise<unknown>;
  /** CPU seconds used so far: the gateway's own, and those of its database. */
  cpu(): Promise<{ gateway: number; database: number }>;
  /** Resident memory of the gateway in bytes. */
  memory(): Promise<number>;
}

/** Starts `fairway serve` on an empty directory against the given upstream and connects a WABA. */
export async function startBenchGateway(upstreamPort: number, env: Record<string, string> = {}): Promise<BenchGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairway-bench-'));
  const child = fork(join(import.meta.dirname, '../src/main.ts'), ['serve'], {
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: '0',
      UPSTREAM_BASE_URL: `http://127.0.0.1:${upstreamPort}/v24.0`,
      UPSTREAM_APP_SECRET: 'bench-secret',
      UPSTREAM_VERIFY_TOKEN: 'bench-token',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const port = await readPort(child);
  const adminToken = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  const admin = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const organization = (await admin('POST', '/organizations', { name: 'Bench' })) as { id: string };
  const key = (await admin('POST', `/organizations/${organization.id}/api-keys`, {})) as { key: string };
  const waba = (await admin('POST', `/organizations/${organization.id}/wabas`, { waba_id: '100', access_token: 'EAAbench' })) as {
    numbers: { phone_number_id: string }[];
  };
  return {
    port,
    child,
    adminToken,
    admin,
    dataDir,
    apiKey: key.key,
    organizationId: organization.id,
    numbers: waba.numbers.map((number) => number.phone_number_id),
    databaseUrl: '',
    cpu: () => cpuOf(child.pid ?? 0),
    memory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
    },
    async stop() {
      await end(child);
      await rm(dataDir, { recursive: true, force: true });
    },
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

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** CPU seconds of a process and, apart, of the PostgreSQL processes descending from it. */
async function cpuOf(pid: number): Promise<{ gateway: number; database: number }> {
  const { readdir } = await import('node:fs/promises');
  const parents = new Map<number, { parent: number; seconds: number }>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]);
    parents.set(Number(entry), { parent: Number(fields[1]), seconds: ticks / 100 });
  }
  let database = 0;
  for (const [candidate, { seconds }] of parents) {
    let ancestor = parents.get(candidate)?.parent ?? 0;
    while (ancestor > 1 && ancestor !== pid) ancestor = parents.get(ancestor)?.parent ?? 0;
    if (ancestor === pid) database += seconds;
  }
  return { gateway: parents.get(pid)?.seconds ?? 0, database };
}
