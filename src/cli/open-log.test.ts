import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ALWAYS_FULL = '/dev/full';

test('a log on a full disk ends nothing', { skip: !existsSync(ALWAYS_FULL) }, async () => {
  const script = `
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, 'open-log.ts'))};
    const log = openLog('info');
    log.info('one');
    setImmediate(() => {
      log.info('another');
      process.stdout.write('something else');
      process.exitCode = 7;
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', openSync(ALWAYS_FULL, 'w'), 'pipe'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  assert.deepEqual({ code, said }, { code: 7, said: '' });
});
