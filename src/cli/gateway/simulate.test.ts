import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSimulate } from './simulate.ts';

test('simulate: unusable port or webhook URL → refused at the start', async () => {
  for (const port of ['abc', '-1', '65536', '80.5', '1e3', '']) {
    await assert.rejects(runSimulate({ port }), { message: '--port must be a number from 0 to 65535.' }, port);
  }
  for (const webhookUrl of ['localhost:8080/webhooks/upstream', 'ftp://localhost/', '']) {
    await assert.rejects(
      runSimulate({ port: '0', webhookUrl }),
      { message: '--webhook-url must be an http(s) URL.' },
      webhookUrl,
    );
  }
});
