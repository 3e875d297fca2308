import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { type App, createApp } from '../../src/app.ts';
import { systemClock } from '../../src/core/clock.ts';
import { type Simulator, startSimulator } from '../../src/simulator/index.ts';
import { createTestDatabase } from './database.ts';

export interface Gateway {
  baseUrl: string;
  app: App;
  simulator: Simulator;
  adminToken: string;
  connectionString: string;
  stop(): Promise<void>;
}

const APP = { appId: '880011223344', appSecret: 'test-app-secret', verifyToken: 'test-verify-token' };

/** A whole gateway on real sockets: its own database, its own simulated platform, webhooks flowing. */
export async function startGateway(): Promise<Gateway> {
  const database = await createTestDatabase();
  const simulator = await startSimulator({ ...APP, statusLatencyMs: { sent: 5, delivered: 10, read: 15 } });
  const encryptionKey = randomBytes(32);
  const adminToken = randomBytes(24).toString('base64url');
  const app = await createApp({
    databaseUrl: database.connectionString,
    alone: true,
    encryptionKey,
    adminToken,
    upstream: {
      baseUrl: simulator.baseUrl,
      appId: APP.appId,
      appSecrets: [APP.appSecret],
      verifyToken: APP.verifyToken,
    },
    log: pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
    clock: systemClock,
    random: Math.random,
  });
  await app.start();
  await app.http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.http.server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  simulator.world.setWebhookUrl(`${baseUrl}/webhooks/upstream`);
  return {
    baseUrl,
    app,
    simulator,
    adminToken,
    connectionString: database.connectionString,
    async stop() {
      await simulator.close();
      await app.stop();
      await database.drop();
    },
  };
}
