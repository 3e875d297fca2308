import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { startServeProcess } from '../harness/serve-process.ts';

describe('the demo tenant is there', () => {
  let databases: TestDatabase[];
  let dirs: string;
  before(async () => {
    databases = [await createTestDatabase(), await createTestDatabase()];
    dirs = await mkdtemp(join(tmpdir(), 'fairway-demo-'));
  });
  after(async () => {
    for (const database of databases) await database.drop();
    await rm(dirs, { recursive: true });
  });

  const environment = { ENCRYPTION_KEY: randomBytes(32).toString('base64'), ADMIN_TOKEN: 'demo-admin-token' };
  const demoOf = async (dir: string) => JSON.parse(await readFile(join(dirs, dir, 'demo.json'), 'utf8'));

  /** Starts the gateway, sends a message as the demo tenant, and returns the stored demo data. */
  const tryOut = async (dir: string, database: number) => {
    const serve = await startServeProcess(join(dirs, dir), {
      ...environment,
      PORT: '0',
      DATABASE_URL: databases[database]?.connectionString ?? '',
    });
    try {
      const demo = await demoOf(dir);
      const answer = await fetch(`${serve.baseUrl}/v1/${demo.phoneNumberId}/messages?sync=true`, {
        method: 'POST',
        headers: { authorization: `Bearer ${demo.apiKey}` },
        body: JSON.stringify({ to: '+12025550123', type: 'text', text: { body: 'Hello' } }),
      });
      assert.equal(answer.status, 200, await answer.text());
      return demo;
    } finally {
      serve.kill('SIGTERM');
      await serve.ended;
    }
  };

  it('in a data directory that does not exist, and again as it was', async () => {
    assert.deepEqual(await tryOut('one/sub', 0), await tryOut('one/sub', 0));
  });

  it('in another data directory on the same database', async () => {
    assert.notEqual((await tryOut('two', 0)).wabaId, (await demoOf('one/sub')).wabaId);
  });

  it('on another database with the same data directory', async () => {
    const before = await demoOf('two');
    assert.notEqual((await tryOut('two', 1)).apiKey, before.apiKey);
  });

  it('after a start that was killed before it had a key', async () => {
    const { apiKey: _, ...demo } = await demoOf('two');
    await writeFile(join(dirs, 'two', 'demo.json'), JSON.stringify(demo));
    assert.equal((await tryOut('two', 1)).organizationId, demo.organizationId);
  });
});
