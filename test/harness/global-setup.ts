import { join } from 'node:path';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer | undefined;

/**
 * Runs once before all test files. It starts one server for all of them, found through FAIRWAY_TEST_DATABASE_URL, and sets one compile
 * cache for the modules that they share.
 */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compiled-tests');
  server = await startTestServer();
  process.env.FAIRWAY_TEST_DATABASE_URL = server.connectionString;
}

/** Runs once after all test files, and when the run is interrupted. */
export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
