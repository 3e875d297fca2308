import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

/** Runs `statements` with a `log` and returns the lines it wrote. */
async function linesOf(statements: string): Promise<Record<string, unknown>[]> {
  const script = `
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, 'open-log.ts'))};
    const log = openLog('info');
    ${statements}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const written = await text(child.stdout);
  return written.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

test('log: repeated failure → written once; lines with other content → each time', async () => {
  const lines = await linesOf(`
    const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    for (let times = 0; times < 3; times += 1) {
      log.warn({ err: away() }, 'chore failed');
      log.error({ err: away(), requestId: 'r' + times }, 'request failed');
      log.warn('it is away');
      log.info('something happened');
    }
    log.error({ err: away() }, 'chore failed');
    log.warn({ err: new Error('another') }, 'chore failed');`);
  assert.deepEqual(
    lines.map(({ level, msg, requestId, err }) => [level, msg, requestId ?? (err as Error | undefined)?.message]),
    [
      ['warn', 'chore failed', 'connect ECONNREFUSED'],
      ['error', 'request failed', 'r0'],
      ['warn', 'it is away', undefined],
      ['info', 'something happened', undefined],
      ['error', 'request failed', 'r1'],
      ['info', 'something happened', undefined],
      ['error', 'request failed', 'r2'],
      ['info', 'something happened', undefined],
      ['error', 'chore failed', 'connect ECONNREFUSED'],
      ['warn', 'chore failed', 'another'],
    ],
  );
});

test('log: failure that lasts over a minute → written again, with the number of lines left out', async () => {
  const lines = await linesOf(`
    let nowMs = 0;
    performance.now = () => nowMs;
    for (; nowMs <= 60_000; nowMs += 1_000) {
      log.warn({ err: nowMs % 2_000 === 0 ? new Error('away') : new Error('away') }, 'chore failed');
      log.warn('it is away');
    }`);
  assert.deepEqual(
    lines.map(({ msg, repeated }) => [msg, repeated]),
    [
      ['chore failed', undefined],
      ['it is away', undefined],
      ['chore failed', 59],
      ['it is away', 59],
    ],
  );
});

test('log: error with extra fields → no secrets written; thrown null → no crash', async () => {
  const lines = await linesOf(`
    const failure = Object.assign(new Error('no', { cause: Object.assign(new Error('why'), { password: 'secret' }) }), {
      code: '23505',
      detail: 'Key (token)=(secret) already exists.',
      client: { connectionString: 'postgres://u:secret@db/' },
    });
    log.error({ err: failure }, 'one');
    log.error({ err: null }, 'another');
    log.error({ err: { token: 'secret' } }, 'a third');`);
  const [first] = lines;
  assert.deepEqual(Object.keys(first?.err ?? {}), ['type', 'message', 'code', 'stack', 'cause']);
  assert.equal(lines.length, 3);
  assert.doesNotMatch(JSON.stringify(lines), /secret/);
});

const ALWAYS_FULL = '/dev/full';

test('log: full disk → the process goes on', { skip: !existsSync(ALWAYS_FULL) }, async () => {
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

test('log: reader that never reads → the process does not wait', async (t) => {
  const script = `
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, 'open-log.ts'))};
    const log = openLog('info');
    for (let n = 0; n < 20_000; n += 1) log.info({ n }, 'a line that is as long as lines are');
    process.exitCode = 7;`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(60_000) });
  assert.equal(code, 7);
});
