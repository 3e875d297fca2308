import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';
import { freshRecipient, send, textTo } from '../../harness/tenant.ts';
import {
  inboundText,
  messagesChange,
  nowSeconds,
  payloadOf,
  postWebhook,
  sign,
} from '../../harness/upstream-webhook.ts';

const OLD_SECRET = 'the-secret-being-rotated-out';

describe('the signature of a webhook', () => {
  const gateway = useGateway({ postsOwnWebhooks: true, moreAppSecrets: [OLD_SECRET] });
  const tenant = useTenant(gateway);
  const inboundFrom = (from: string) =>
    JSON.stringify(payloadOf(tenant, messagesChange(tenant, { messages: [inboundText(from.slice(1), nowSeconds())] })));
  const stored = async () => {
    const [row] = await gateway.app.db.query<{ journal: number; messages: number }>({
      text: `SELECT (SELECT count(*)::int FROM upstream_journal) AS journal, (SELECT count(*)::int FROM message) AS messages`,
    });
    return row!;
  };

  it("may be made with any of the app's secrets", async () => {
    for (const secret of [UPSTREAM_APP.appSecret, OLD_SECRET]) {
      const to = freshRecipient();
      assert.equal((await postWebhook(gateway, inboundFrom(to), { secret })).status, 200);
      assert.equal((await send(gateway, tenant, textTo(to))).status, 202, 'the window is open');
    }
  });

  it('is checked over the raw bytes', async () => {
    const from = freshRecipient().slice(1);
    const text = inboundFrom(`+${from}`)
      .replace('"entry":', ' "n" : 12345678901234567890, "entry":\n')
      .replace('Is it open', 'Ist es ge\\u00f6ffnet');
    assert.equal((await postWebhook(gateway, text)).status, 200);
    const signature = sign(UPSTREAM_APP.appSecret, text);
    assert.equal((await postWebhook(gateway, JSON.stringify(JSON.parse(text)), { signature })).status, 401);
  });

  it('missing or wrong: 401, and nothing is stored', async () => {
    const to = freshRecipient();
    const body = inboundFrom(to);
    const good = sign(UPSTREAM_APP.appSecret, body);
    const bad: (string | null)[] = [
      null,
      '',
      'sha256=',
      good.slice(0, -1),
      `${good}0`,
      good.toUpperCase(),
      good.replace('sha256=', ''),
      good.replace('sha256=', 'sha1='),
      `sha256=${'0'.repeat(64)}`,
      sign('another-secret', body),
      sign(UPSTREAM_APP.verifyToken, body),
      sign('', body),
      sign(UPSTREAM_APP.appSecret, `${body} `),
      `${good}, ${good}`,
    ];
    for (let digit = 7; digit < good.length; digit += 7) {
      bad.push(`${good.slice(0, digit)}${good[digit] === '0' ? '1' : '0'}${good.slice(digit + 1)}`);
    }
    const before = await stored();
    for (const signature of bad) {
      const answer = await postWebhook(gateway, body, { signature });
      assert.equal(answer.status, 401, `${signature}: ${answer.text}`);
      assert.equal(JSON.parse(answer.text).code, 'UNAUTHORIZED');
    }
    assert.deepEqual(await stored(), before);
    assert.equal((await send(gateway, tenant, textTo(to))).status, 403, 'the window stayed closed');
    assert.equal((await postWebhook(gateway, body)).status, 200);
  });

  it('is required for an empty body, too', async () => {
    assert.equal((await postWebhook(gateway, '', { signature: null })).status, 401);
  });

  it('valid on an unreadable body: stored and answered 200', async () => {
    for (const text of [
      '',
      'not json',
      '[]',
      'null',
      '"x"',
      '{"entry":{}}',
      '{"entry":[null,7,{"changes":[null]}]}',
      '{}',
      '{"object":"page"}',
    ]) {
      const before = await stored();
      const answer = await postWebhook(gateway, text);
      assert.equal(answer.status, 200, `${text}: ${answer.text}`);
      assert.equal((await stored()).journal, before.journal + 1, text);
    }
  });

  it('does not make a payload of more than 4 MiB acceptable', async () => {
    const answer = await postWebhook(gateway, `{"x":"${'x'.repeat(4 * 1024 * 1024)}"}`);
    assert.equal(answer.status, 413, answer.text);
  });
});
