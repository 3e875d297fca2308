import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer | undefined;

/** Runs once before all test files: one server for all of them, found through FAIRWAY_TEST_DATABASE_URL. */
export async function globalSetup(): Promise<void> {
  server = await startTestServer();
  process.env.FAIRWAY_TEST_DATABASE_URL = server.connectionString;
}

/** Runs once after all test files, and when the run is interrupted. */
export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
