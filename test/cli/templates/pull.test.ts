import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { connectWaba, createTenant } from '../../harness/tenant.ts';

const HEADER = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::sample'] } };

describeCommand('templates pull', (suite) => {
  it('a folder → a file for each name and language, and nothing to write again', async () => {
    const folder = join(suite.home, 'pulled', 'templates');
    const { code, stdout } = await suite.run([folder]);
    assert.deepEqual([code, stdout], [0, 'Wrote 6 files, 0 unchanged.\n']);
    assert.deepEqual((await readdir(folder)).sort(), [
      'greeting.de.json',
      'greeting.en_US.json',
      'in_review.en_US.json',
      'login_code.en_US.json',
      'order_update.en_US.json',
      'spring_sale.en_US.json',
    ]);
    const path = join(folder, 'order_update.en_US.json');
    const text = await readFile(path, 'utf8');
    assert.deepEqual(Object.keys(JSON.parse(text)), ['name', 'language', 'category', 'parameter_format', 'components']);
    assert.match(text, /\{\n {6}"type": "BODY",\n {6}"text": "Your order/);
    await writeFile(path, text.replace('today', 'tomorrow'));
    await writeFile(join(folder, 'own.en_US.json'), text.replace('order_update', 'own'));
    const again = await suite.run([folder, '--json']);
    assert.deepEqual([again.json.written, again.json.unchanged], [[path], 5]);
    assert.deepEqual(again.json.without_template, [join(folder, 'own.en_US.json')]);
    assert.equal(await readFile(path, 'utf8'), text);
  });

  it('the sample of a file → kept', async () => {
    const components = [HEADER, { type: 'BODY', text: 'Your parcel.' }];
    const templates = [{ name: 'parcel', language: 'en_US', category: 'UTILITY', components }];
    const { apiKey } = await createTenant(suite.gateway, { templates });
    const [folder, env] = [join(suite.home, 'samples'), { FAIRWAY_API_KEY: apiKey }];
    assert.equal((await suite.run([folder], { env })).code, 0);
    const path = join(folder, 'parcel.en_US.json');
    const content = JSON.parse(await readFile(path, 'utf8'));
    const own = [{ ...content.components[0], example: { header_handle: ['https://example.com/parcel.jpg'] } }];
    await writeFile(path, JSON.stringify({ ...content, components: [...own, { type: 'BODY', text: 'Other.' }] }));
    assert.deepEqual((await suite.run([folder, '--json'], { env })).json.written, [path]);
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')).components, [...own, content.components[1]]);
    assert.deepEqual((await suite.run([folder, '--json'], { env })).json.written, []);
  });

  it('several accounts → exit code 2 without --waba; a file without a template → 2', async () => {
    const folder = join(suite.home, 'several');
    const [tenant, other] = [await createTenant(suite.gateway), await createTenant(suite.gateway)];
    suite.gateway.simulator.world.addWaba({
      id: `9${other.wabaId}`,
      accessToken: 'EAAsecond',
      numbers: [{ id: `9${other.phoneNumberId}`, displayPhoneNumber: `+9${other.phoneNumber}` }],
      templates: [{ name: 'second', language: 'en_US', category: 'UTILITY' }],
    });
    await connectWaba(suite.gateway, tenant.organizationId, `9${other.wabaId}`);
    const env = { FAIRWAY_API_KEY: tenant.apiKey };
    const { code, stderr } = await suite.run([folder], { env });
    assert.equal(code, 2);
    assert.ok(stderr.includes(tenant.wabaId) && stderr.includes(`9${other.wabaId}`), stderr);
    assert.equal((await suite.run([folder, '--waba', `9${other.wabaId}`], { env })).code, 0);
    assert.deepEqual(await readdir(folder), ['second.en_US.json']);
    await writeFile(join(folder, 'broken.json'), '{');
    assert.equal((await suite.run([folder, '--waba', `9${other.wabaId}`], { env })).code, 2);
  });
});
