import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('templates diff', (suite) => {
  it('changed, new and missing files → each with its difference; --check → exit code 7', async () => {
    const folder = join(suite.home, 'templates');
    await suite.fairway(['templates', 'pull', folder]);
    const same = await suite.run([folder, '--check']);
    assert.deepEqual([same.code, same.stdout], [0, '0 to create, 0 to edit, 6 unchanged.\n']);
    const path = join(folder, 'order_update.en_US.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('today', 'tomorrow'));
    await writeFile(join(folder, 'new.json'), text.replace('order_update', 'order_sent'));
    await rm(join(folder, 'greeting.de.json'));
    const { code, stdout } = await suite.run([folder]);
    assert.equal(code, 0);
    assert.match(stdout, /^missing +greeting de$/m);
    assert.match(stdout, /^create +order_sent en_US$/m);
    assert.match(stdout, /^edit +order_update en_US\n +components\[0\]\.text\n +- ".*today\."\n +\+ ".*tomorrow\."$/m);
    assert.match(stdout, /1 to create, 1 to edit, 4 unchanged, 1 without a file\.\n$/);
    const checked = await suite.run([folder, '--check', '--waba', suite.tenant.wabaId, '--json']);
    assert.equal(checked.code, 7);
    assert.equal(checked.json.data.length, 7);
  });

  it('a folder that is missing, or files of one template → exit code 2', async () => {
    assert.equal((await suite.run([join(suite.home, 'none')])).code, 2);
    const folder = join(suite.home, 'doubles');
    await suite.fairway(['templates', 'pull', folder]);
    await writeFile(join(folder, 'copy.json'), await readFile(join(folder, 'spring_sale.en_US.json')));
    const { code, stderr } = await suite.run([folder]);
    assert.equal(code, 2);
    assert.match(stderr, /spring_sale\.en_US\.json: the same template as .*copy\.json/);
  });
});
