import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('templates preview', (suite) => {
  it('a name → the example, or the value of --param', async () => {
    assert.equal((await suite.run(['order_update'])).stdout, 'Your order A-1042 is on its way today.\n');
    const { code, stdout } = await suite.run(['order_update', '--param', 'B-7\u001b[2J']);
    assert.deepEqual([code, stdout], [0, 'Your order B-7\\u001b[2J is on its way today.\n']);
    assert.equal((await suite.run(['greeting', '--language', 'de', '--waba', suite.tenant.wabaId])).code, 0);
  });

  it('a file → header, body, footer and buttons with their values', async () => {
    const path = join(suite.home, 'parcel.json');
    const components = [
      { type: 'HEADER', format: 'DOCUMENT' },
      { type: 'BODY', text: 'Dear {{name}},\nit is *here*.' },
      { type: 'FOOTER', text: 'Bye' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://x.example/{{1}}' }] },
    ];
    await writeFile(path, JSON.stringify({ name: 'parcel', language: 'en', category: 'UTILITY', components }));
    const args = [path, '--param', 'name=Ann', '--header', 'bill.pdf', '--button', '0=A-1'];
    assert.equal(
      (await suite.run(args)).stdout,
      '[document: bill.pdf]\nDear Ann,\nit is here.\nBye\n[ Track ]  https://x.example/A-1\n',
    );
    const { stdout, stderr } = await suite.run([path]);
    assert.match(stdout, /Dear \{\{name\}\}/);
    assert.match(stderr, /Without a value: body \{\{name\}\}, button 0/);
    assert.equal((await suite.run([...args, '--json'])).json.body, 'Dear Ann,\nit is *here*.');
  });

  it('several languages, or a value without a variable → exit code 2; no such name → 4', async () => {
    const { code, stderr } = await suite.run(['greeting']);
    assert.equal(code, 2);
    assert.match(stderr, /de \(\d+\)/);
    assert.equal((await suite.run(['order_update', '--param', 'a', '--param', 'b'])).code, 2);
    assert.equal((await suite.run(['order_update', '--button', 'x'])).code, 2);
    assert.equal((await suite.run(['no_such_name'])).code, 4);
  });
});
