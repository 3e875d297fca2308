import type { TestContext } from 'node:test';
import { openDatabase } from '../../src/database/database.ts';
import { createTestDatabase } from './database.ts';
import { startTcpProxy } from './tcp-proxy.ts';

/** Opens a new database behind a proxy that can cut or stall it; `connectionString` bypasses the proxy. Both end with the test. */
export async function openProxiedDatabase(t: TestContext, options: { connectionsMax: number }) {
  const { connectionString } = await createTestDatabase(t);
  const url = new URL(connectionString);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  t.after(() => proxy.close());
  url.port = String(proxy.port);
  const db = openDatabase({ connectionString: url.href, ...options, onIdleError: () => {} });
  t.after(() => db.close());
  return { connectionString, proxy, db };
}
