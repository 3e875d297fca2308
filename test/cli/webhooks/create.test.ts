import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { call } from '../../harness/tenant.ts';

const URL = 'https://hooks.example.com/fairway';

describeCommand('webhooks create', (suite) => {
  it('all options → an endpoint with them, and its secret this once', async () => {
    const { code, json } = await suite.run([
      ...[URL, '--events', 'message.failed, message.received', '--number', suite.tenant.phoneNumberId],
      ...['--waba', suite.tenant.wabaId, '--format', 'cloud_api', '--signing', 'hmac', '--message-ids', 'gateway'],
      ...['--phone-numbers', 'e164', '--ordered', '--rate', '2.5', '--description', 'shop', '--json'],
    ]);
    assert.equal(code, 0);
    assert.ok(json.secret.length > 20);
    const { json: stored } = await call(suite.gateway, suite.tenant, 'GET', `/v1/webhooks/${json.id}`);
    const { secret: _, ...shown } = json;
    assert.deepEqual(stored, shown);
    assert.deepEqual(stored.events, ['message.failed', 'message.received']);
    assert.deepEqual(stored.phone_number_ids, [suite.tenant.phoneNumberId]);
    assert.deepEqual(stored.waba_ids, [suite.tenant.wabaId]);
    assert.deepEqual(
      [stored.format, stored.message_ids, stored.phone_numbers, stored.ordered, stored.rate_per_second],
      ['cloud_api', 'gateway', 'e164', true, 2.5],
    );
    assert.equal(stored.description, 'shop');
  });

  it('no options → the secret with a warning; with ed25519 the public key alone', async () => {
    const { stdout } = await suite.run([URL]);
    assert.match(stdout, /^secret +whsec_\S+$/m);
    assert.match(stdout, /not shown again/);
    const signed = await suite.run([URL, '--signing', 'ed25519']);
    assert.match(signed.stdout, /^public key +whpk_\S+$/m);
    assert.doesNotMatch(signed.stdout, /whsec_|not shown again/);
  });

  it('wrong options → exit code 2; a URL that is refused → exit code 3', async () => {
    assert.equal((await suite.run([URL, '--format', 'xml'])).code, 2);
    assert.equal((await suite.run([URL, '--rate', '0'])).code, 2);
    assert.equal((await suite.run([URL, '--events', 'message.failed,'])).code, 2);
    assert.equal((await suite.run(['http://hooks.example.com/'])).code, 3);
  });
});
