import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useGateway } from '../../harness/fixtures.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';

describe('the handshake of the webhook endpoint', () => {
  const gateway = useGateway();

  const handshake = async (query: Record<string, string>) => {
    const response = await fetch(`${gateway.baseUrl}/webhooks/upstream?${new URLSearchParams(query)}`);
    return { status: response.status, text: await response.text(), type: response.headers.get('content-type') ?? '' };
  };
  const right = {
    'hub.mode': 'subscribe',
    'hub.verify_token': UPSTREAM_APP.verifyToken,
    'hub.challenge': '1158201444',
  };

  it('echoes exactly the challenge to a caller with the verify token', async () => {
    const answer = await handshake(right);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '1158201444');
    assert.match(answer.type, /^text\/plain/, 'a challenge is never rendered as a page');
  });

  it("passes the upstream's own check", async () => {
    assert.equal(await gateway.simulator.world.verifyCallback(), true);
  });

  for (const [name, change] of Object.entries<Record<string, string>>({
    'a wrong token': { 'hub.verify_token': 'guess' },
    'an empty token': { 'hub.verify_token': '' },
    'the app secret as token': { 'hub.verify_token': UPSTREAM_APP.appSecret },
    'another mode': { 'hub.mode': 'unsubscribe' },
  })) {
    it(`answers 403 without the challenge to ${name}`, async () => {
      const answer = await handshake({ ...right, ...change });
      assert.equal(answer.status, 403);
      assert.ok(!answer.text.includes('1158201444'));
    });
  }

  it('answers 403 for a missing or duplicate parameter', async () => {
    for (const name of Object.keys(right)) {
      const { [name as keyof typeof right]: _, ...rest } = right;
      assert.equal((await handshake(rest)).status, 403, name);
    }
    const twice = new URLSearchParams(right);
    twice.append('hub.verify_token', UPSTREAM_APP.verifyToken);
    assert.equal((await fetch(`${gateway.baseUrl}/webhooks/upstream?${twice}`)).status, 403);
  });
});
