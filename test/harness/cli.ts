import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe } from 'node:test';
import { promisify } from 'node:util';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
import { createTenant, type Tenant } from './tenant.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** A finished run of the program. */
export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as JSON; fails if it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read output of every shape
  readonly json: any;
}

/** A running program. */
export interface CliProcess {
  /** Resolves when standard output and standard error together match. */
  until(pattern: RegExp): Promise<void>;
  /** Writes to its terminal or its standard input. */
  type(text: string): void;
  /** Closes its standard input. */
  endInput(): void;
  interrupt(): void;
  /** Changes the size of its terminal. */
  resize(columns: number, rows: number): Promise<void>;
  /** Ends it without a chance to clean up. */
  kill(): void;
  ended: Promise<CliRun>;
}

export interface CliOptions {
  env?: Record<string, string | undefined>;
  /** True to run it in a pseudo terminal. Its output is then all in `stdout`, and text for its input is typed. */
  terminal?: boolean | { columns: number; rows: number };
}

/** The gateway, tenant and program of a suite; see `describeCommand`. */
export interface CommandSuite {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  /** Home of the person: its `.config` holds the profiles. */
  readonly home: string;
  /** Runs the suite's command with further arguments. The environment has URL, API key, admin token and number of the tenant. */
  run(args?: readonly string[], options?: CliOptions): Promise<CliRun>;
  /** Starts the suite's command. */
  start(args?: readonly string[], options?: CliOptions): CliProcess;
  /** Runs another command. */
  fairway(args: readonly string[], options?: CliOptions): Promise<CliRun>;
}

/**
 * Describes one command with a gateway and a tenant of its own. Fails if no test runs the command.
 * @param name words of the command, such as `messages list`
 * @param options settings of the gateway
 */
export function describeCommand(
  name: string,
  define: (suite: CommandSuite) => void,
  options: GatewayOptions = {},
): void {
  describe(`fairway ${name}`, () => {
    let gateway: Gateway;
    let tenant: Tenant;
    let home: string;
    let runs = 0;
    before(async () => {
      gateway = await startGateway(options);
      tenant = await createTenant(gateway);
      home = await mkdtemp(join(tmpdir(), 'fairway-cli-'));
    });
    after(async () => {
      await gateway.stop();
      await rm(home, { recursive: true });
      assert.ok(runs > 0, `no test runs fairway ${name}`);
    });
    const start = (args: readonly string[], { env, ...options }: CliOptions = {}) =>
      startCli(args, { ...options, env: { ...environmentOf({ gateway, tenant, home }), ...env } });
    const startOwn = (args: readonly string[] = [], options?: CliOptions) => {
      runs += 1;
      return start([...name.split(' '), ...args], options);
    };
    define({
      get gateway() {
        return gateway;
      },
      get tenant() {
        return tenant;
      },
      get home() {
        return home;
      },
      start: startOwn,
      run: (args, options) => startOwn(args, options).ended,
      fairway: (args, options) => start(args, options).ended,
    });
  });
}

function environmentOf({ gateway, tenant, home }: Pick<CommandSuite, 'gateway' | 'tenant' | 'home'>) {
  return {
    HOME: home,
    DATA_DIR: home,
    FAIRWAY_URL: gateway.baseUrl,
    FAIRWAY_API_KEY: tenant.apiKey,
    FAIRWAY_ADMIN_TOKEN: gateway.adminToken,
    FAIRWAY_PHONE_NUMBER_ID: tenant.phoneNumberId,
    FAIRWAY_SIMULATOR_URL: gateway.simulator.origin,
  };
}

/** Starts the program as a person would, with nothing of this process's environment but the path. */
export function startCli(args: readonly string[], { env = {}, terminal = false }: CliOptions = {}): CliProcess {
  const command = [process.execPath, MAIN, ...args];
  const size = typeof terminal === 'object' ? terminal : { columns: 100, rows: 30 };
  const resized = `stty cols ${size.columns} rows ${size.rows}; exec ${command.map(quoted).join(' ')}`;
  const [file = '', ...rest] = terminal === false ? command : ['script', '-qec', resized, '/dev/null'];
  const set = Object.entries(env).filter(([, value]) => value !== undefined);
  const child = spawn(file, rest, {
    env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/sh', ...Object.fromEntries(set) },
  });
  const { ended, until } = follow(child);
  return {
    until,
    type: (text) => child.stdin.write(text),
    endInput: () => child.stdin.end(),
    // A terminal turns this character into the signal.
    interrupt: () => (terminal === false ? child.kill('SIGINT') : child.stdin.write('\u0003')),
    async resize(columns, rows) {
      const [inner] = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).split(' ');
      const device = await readlink(`/proc/${inner}/fd/0`);
      await promisify(execFile)('stty', ['-F', device, 'cols', String(columns), 'rows', String(rows)]);
    },
    kill: () => child.kill('SIGKILL'),
    ended,
  };
}

function follow(child: ChildProcess) {
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const check of waiting) check();
    });
  const { promise: ended, resolve: end, reject } = Promise.withResolvers<CliRun>();
  child.once('error', reject);
  child.once('close', (code) => {
    const { stdout, stderr } = output;
    const parse = () => {
      try {
        return JSON.parse(stdout);
      } catch {
        assert.fail(`exit code ${code}, standard output is not JSON:\n${stdout}\n${stderr}`);
      }
    };
    end({
      code,
      stdout,
      stderr,
      get json() {
        return parse();
      },
    });
  });
  const until = async (pattern: RegExp) => {
    const matched = new Promise<void>((found) => {
      const check = () => {
        if (!pattern.test(output.stdout + output.stderr)) return;
        waiting.delete(check);
        found();
      };
      waiting.add(check);
      check();
    });
    const early = ended.then(({ code, stdout, stderr }) => {
      if (!pattern.test(stdout + stderr)) assert.fail(`it ended with ${code} before ${pattern}:\n${stdout}\n${stderr}`);
    });
    await Promise.race([matched, early]);
  };
  return { ended, until };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
