import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeCommand } from '../harness/cli.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { call, createTenant, freshRecipient, type Served, type Tenant, until } from '../harness/tenant.ts';

interface Sender {
  gateway: Served;
  tenant: Tenant;
}

/** Bytes of a result line with a message: its ID, its key and a status. */
const LINE_BYTES_MIN = 110;

describeCommand('import', (suite) => {
  let files = 0;

  async function csv(lines: readonly string[]): Promise<string> {
    files += 1;
    const path = join(suite.home, `sends-${files}.csv`);
    await writeFile(path, `${lines.join('\n')}\n`);
    return path;
  }

  /** Returns the persons of all messages to these people. */
  async function reached(people: readonly string[], { gateway, tenant }: Sender = suite): Promise<string[]> {
    const wanted = new Set(people);
    const found: string[] = [];
    for (let after = ''; ; ) {
      const { json } = await call(gateway, tenant, 'GET', `/v1/messages?limit=200${after}`);
      const phones = json.data.map((message: { recipient_phone: string }) => `+${message.recipient_phone}`);
      found.push(...phones.filter((phone: string) => wanted.has(phone)));
      if (json.next == null) return found.sort();
      after = `&after=${encodeURIComponent(json.next)}`;
    }
  }

  async function sizeOf(path: string): Promise<number> {
    return (await stat(path).catch(() => undefined))?.size ?? 0;
  }

  async function resultLines(path: string): Promise<string[]> {
    const text = await readFile(`${path}.results.csv`, 'utf8').catch(() => '');
    return text.trim().split('\n').slice(1);
  }

  it('rows with all kinds of columns → one message each, and a result by row', async () => {
    const people = [freshRecipient(), freshRecipient(), freshRecipient()];
    const path = await csv([
      'to,template,1,callback_data,language',
      `${people[0]},order_update,"A-1, ""express""",order=1,`,
      '',
      `${people[1]},greeting,,,de`,
      `${people[2]},login_code,482913,,`,
    ]);
    const { code, json, stderr } = await suite.run([path, '--json']);
    assert.equal(code, 0, stderr);
    assert.deepEqual([json.rows, json.accepted, json.invalid], [3, 3, 0]);
    assert.deepEqual(await reached(people), people);
    const rows = (await resultLines(path)).map((line) => line.split(',')[0]);
    assert.deepEqual(rows.sort(), ['2', '4', '5']);
  });

  it('wrong rows → each is reported and nothing is sent, unless --skip-invalid', async () => {
    const people = Array.from({ length: 6 }, () => freshRecipient());
    const path = await csv([
      'to,template,1,2,text',
      `${people[0]},order_update,A-1,,`,
      '12,order_update,A-1,,',
      `${people[1]},unknown,A-1,,`,
      `${people[2]},order_update,,,`,
      `${people[3]},order_update,A-1,A-2,`,
      `${people[4]},in_review,,,`,
      `${people[5]},,,,`,
    ]);
    const refused = await suite.run([path]);
    assert.equal(refused.code, 2);
    for (const [row, problem] of [
      [3, '"12" is no phone number'],
      [4, 'it does not exist'],
      [5, 'parameter "1" is missing'],
      [6, 'no parameter "2"'],
      [7, 'it is PENDING'],
      [8, 'give one of "template" and "text"'],
    ])
      assert.match(refused.stderr, new RegExp(`row ${row}: .*${problem}`));
    assert.deepEqual(await reached(people), []);
    const skipped = await suite.run([path, '--skip-invalid', '--json']);
    assert.equal(skipped.code, 0, skipped.stderr);
    assert.deepEqual([skipped.json.accepted, skipped.json.invalid], [1, 6]);
    assert.deepEqual(await reached(people), [people[0]]);
  });

  it('a wrong header → exit code 2 that names its columns', async () => {
    const { code, stderr } = await suite.run([await csv(['phone,txt', '1,2'])]);
    assert.equal(code, 2);
    assert.match(stderr, /"to" \(number\) or "recipient".*"text" or "template"/);
  });

  it('a refused row → exit code 7, and the same command tries it again', async () => {
    const to = freshRecipient();
    const path = await csv(['to,text', `${to},Hello`]);
    const first = await suite.run([path]);
    assert.equal(first.code, 7);
    assert.match((await resultLines(path))[0] ?? '', /^2,,refused,.*OUTSIDE_24H_WINDOW/);
    await suite.gateway.simulator.world.inbound({ phoneNumberId: suite.tenant.phoneNumberId, from: to });
    const second = await suite.run([path, '--json']);
    assert.deepEqual([second.code, second.json.accepted], [0, 1], second.stderr);
  });

  it('a second run without the result file → the same messages', async () => {
    const to = freshRecipient();
    const path = await csv(['to,template', `${to},spring_sale`]);
    const [first, second] = [
      await suite.run([path, '--json']),
      await suite.run([path, '--results', `${path}.other.csv`, '--json']),
    ];
    assert.deepEqual([first.json.accepted, second.json.accepted], [1, 1]);
    assert.deepEqual(await reached([to]), [to]);
    const other = await readFile(`${path}.other.csv`, 'utf8');
    assert.equal((await resultLines(path))[0], other.trim().split('\n')[1]);
  });

  it('a file that is no result file → refused and unchanged', async () => {
    const path = await csv(['to,template', `${freshRecipient()},spring_sale`]);
    const precious = join(suite.home, 'precious.txt');
    await writeFile(precious, 'first line\nlast');
    assert.equal((await suite.run([path, '--results', precious])).code, 2);
    assert.equal(await readFile(precious, 'utf8'), 'first line\nlast');
  });

  it('a run killed three times → every row once', async () => {
    const count = Number(process.env.IMPORT_ROWS ?? 1_000);
    const people = Array.from({ length: count }, () => freshRecipient());
    const path = await csv(['to,template', ...people.map((to) => `${to},spring_sale`)]);
    for (const part of [0.2, 0.5, 0.8]) {
      const run = suite.start([path]);
      const isPartDone = async () => (await sizeOf(`${path}.results.csv`)) > count * part * LINE_BYTES_MIN || undefined;
      await until(`${part} of the rows`, isPartDone, 300_000);
      run.kill();
      assert.notEqual((await run.ended).code, 0);
    }
    const last = await suite.run([path, '--json']);
    assert.equal(last.code, 0, last.stderr);
    assert.ok(last.json.present > count / 2, String(last.json.present));
    assert.equal(last.json.present + last.json.accepted, count);
    assert.deepEqual(await reached(people), people.sort());
  });

  it('Ctrl-C in a terminal → a bar, exit code 130, and the same command completes', async () => {
    const people = Array.from({ length: 400 }, () => freshRecipient());
    const path = await csv(['to,template', ...people.map((to) => `${to},spring_sale`)]);
    const run = suite.start([path, '--parallel', '2'], { terminal: { columns: 60, rows: 10 } });
    await run.until(/Sending \[.*[1-9]\d*\/400/);
    run.interrupt();
    const { code, stdout } = await run.ended;
    assert.equal(code, 130, stdout);
    assert.match(stdout, /of 400 rows are done/);
    assert.equal((await suite.run([path])).code, 0);
    assert.deepEqual(await reached(people), people.sort());
  });

  it('a terminal that becomes narrow → the bar fits it, and the run completes', async () => {
    const people = Array.from({ length: 400 }, () => freshRecipient());
    const path = await csv(['to,template', ...people.map((to) => `${to},spring_sale`)]);
    const run = suite.start([path, '--parallel', '2'], { terminal: { columns: 120, rows: 10 } });
    await run.until(/Sending \[.*[1-9]\d*\/400/);
    await run.resize(40, 5);
    const { code, stdout } = await run.ended;
    assert.equal(code, 0, stdout);
    const bars = stdout.match(/Sending \[[=-]*\] \d+\/400/g) ?? [];
    assert.match(bars[0] ?? '', /\[-{40}\]/);
    const last = bars.at(-1) ?? '';
    assert.ok(last.endsWith('] 400/400') && last.length < 40, last);
    assert.deepEqual(await reached(people), people.sort());
  });

  it('a gateway that is killed and started again → waits for it, and every row is sent once', async () => {
    const restartable = await createRestartableGateway();
    try {
      const first = await restartable.start();
      const tenant = await createTenant(first);
      const env = {
        ...{ FAIRWAY_URL: first.baseUrl, FAIRWAY_API_KEY: tenant.apiKey },
        FAIRWAY_PHONE_NUMBER_ID: tenant.phoneNumberId,
      };
      const people = Array.from({ length: 600 }, () => freshRecipient());
      const path = await csv(['to,template', ...people.map((to) => `${to},spring_sale`)]);
      const run = suite.start([path, '--json'], { env });
      await until('some rows', async () => (await sizeOf(`${path}.results.csv`)) > 20 * LINE_BYTES_MIN || undefined);
      first.kill('SIGKILL');
      await first.ended;
      assert.ok((await resultLines(path)).length < people.length);
      const second = await restartable.start();
      const { code, json, stderr } = await run.ended;
      assert.equal(code, 0, stderr);
      assert.deepEqual([json.accepted, json.refused, json.failed], [600, 0, 0]);
      assert.deepEqual(await reached(people, { gateway: second, tenant }), people.sort());
    } finally {
      await restartable.close();
    }
  });
});
