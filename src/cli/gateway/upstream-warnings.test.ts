import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../config.ts';
import { upstreamWarnings } from './upstream-warnings.ts';

test('upstream warnings: missing or incomplete platform setting → one warning each', () => {
  const full = { UPSTREAM_APP_ID: '1', UPSTREAM_APP_SECRET: 'secret', UPSTREAM_VERIFY_TOKEN: 'token' };
  const warned = (env: Record<string, string>) =>
    upstreamWarnings(readConfig(env).upstream).map((warning) => warning.split(' ')[0]);
  assert.deepEqual(warned(full), []);
  assert.deepEqual(warned({}).toSorted(), Object.keys(full));
  assert.deepEqual(warned({ ...full, UPSTREAM_BASE_URL: 'https://graph.facebook.com/v24.0/' }), []);
  assert.deepEqual(warned({ ...full, UPSTREAM_BASE_URL: 'https://graph.facebook.com' }), ['UPSTREAM_BASE_URL']);
  for (const missing of Object.keys(full)) assert.deepEqual(warned({ ...full, [missing]: '' }), [missing]);
});
