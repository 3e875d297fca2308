import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

/**
 * Runs promtool and returns its exit code and output. Skips the test and returns null if promtool is not installed; in CI the test fails
 * instead.
 */
export async function runPromtool(
  t: TestContext,
  args: readonly string[],
  { input = '', cwd }: { input?: string; cwd?: string } = {},
): Promise<{ code: number; output: string } | null> {
  const promtool = spawn('promtool', args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [promtool.stdout, promtool.stderr]) stream.on('data', (chunk) => (output += chunk));
  promtool.stdin.on('error', () => {}).end(input);
  const ended = await once(promtool, 'close').catch((error: NodeJS.ErrnoException) => error);
  if (Array.isArray(ended)) return { code: ended[0], output };
  const isMissing = ended.code === 'ENOENT';
  assert.ok(isMissing && process.env.CI === undefined, `promtool cannot be run, and CI needs it: ${ended.message}`);
  t.skip('promtool is not installed (apt-get install prometheus)');
  return null;
}
