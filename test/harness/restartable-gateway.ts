import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/index.ts';
import { UPSTREAM_APP } from './gateway.ts';
import { type ServeProcess, startServeProcess } from './serve-process.ts';
import type { Served } from './tenant.ts';

/** The gateway as a process with its embedded database, which can stop and start again. The platform runs in this process. */
export interface RestartableGateway {
  readonly dataDir: string;
  readonly simulator: Simulator;
  readonly environment: Record<string, string>;
  /** Starts the process on the same directory and address as before. */
  start(): Promise<Served & ServeProcess>;
  /** Ends everything, including a running gateway, and deletes the directory. */
  close(): Promise<void>;
}

/** Prepares a gateway without starting it; `environment` adds to its configuration, `platform` to the platform's. */
export async function createRestartableGateway(
  environment: Record<string, string> = {},
  platform: Partial<SimulatorOptions> = {},
): Promise<RestartableGateway> {
  const parentDir = await mkdtemp(join(tmpdir(), 'fairway-restartable-'));
  const dataDir = join(parentDir, 'data');
  const simulator = await startSimulator({
    ...UPSTREAM_APP,
    limits: 'off',
    statusLatencyMs: { sent: 5, delivered: 10, read: 15 },
    sendLog: { recordsMax: 100_000 },
    // Statuses must arrive soon after the gateway is back, to settle the messages in flight when it died. They come in batches, because
    // thousands of single webhooks take a slow machine longer than the hold of an outcome.
    webhooks: { retryPausesMs: new Array(300).fill(300), batchWindowMs: 50 },
    ...platform,
  });
  const port = await findFreePort();
  simulator.world.setWebhookUrl(`http://127.0.0.1:${port}/webhooks/upstream`);
  const complete = {
    PORT: String(port),
    UPSTREAM_BASE_URL: simulator.baseUrl,
    UPSTREAM_APP_ID: UPSTREAM_APP.appId,
    UPSTREAM_APP_SECRET: UPSTREAM_APP.appSecret,
    UPSTREAM_VERIFY_TOKEN: UPSTREAM_APP.verifyToken,
    ...environment,
  };
  let running: ServeProcess | undefined;
  return {
    dataDir,
    simulator,
    environment: complete,
    async start() {
      running = await startServeProcess(dataDir, complete);
      return { ...running, simulator };
    },
    async close() {
      running?.kill('SIGKILL');
      await running?.ended;
      await simulator.close();
      await rm(parentDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
