import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { exchangeRaw, parseRaw } from '../../harness/raw-http.ts';
import { freshRecipient, send, templateTo } from '../../harness/tenant.ts';

const MIB = 1024 * 1024;

describe('the size of a send', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  /** Builds a valid send of exactly `bytes` bytes. */
  const bodyOf = (bytes: number) => {
    const body = JSON.stringify({ ...templateTo(freshRecipient()), padding: '' });
    return body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - body.length)}"`);
  };

  it('may be 1 MiB', async () => {
    const answer = await send(gateway, tenant, bodyOf(MIB));
    assert.equal(answer.status, 202, answer.text);
  });

  for (const bytes of [MIB + 1, 2 * MIB]) {
    it(`may not be ${bytes} bytes`, async () => {
      assertError(await send(gateway, tenant, bodyOf(bytes)), 413, 'PAYLOAD_TOO_LARGE', 100);
    });
  }

  it('is measured, not taken from a header, if the body comes in chunks', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const text = await exchangeRaw(
      gateway,
      `POST /v1/${tenant.phoneNumberId}/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.apiKey}\r\n` +
        `connection: close\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(32)}0\r\n\r\n`,
    );
    const { status, headers, body } = parseRaw(text);
    assert.equal(status, 413, text);
    assert.equal(JSON.parse(body).code, 'PAYLOAD_TOO_LARGE');
    assert.ok(headers.get('x-request-id'));
  });

  for (const framing of [{ 'content-length': 8 * MIB }, { 'transfer-encoding': 'chunked' }]) {
    it(`too large: the connection stays open until all is sent (${Object.keys(framing)})`, async () => {
      const agent = new Agent({ keepAlive: true });
      const sending = request(`${gateway.baseUrl}/v1/${tenant.phoneNumberId}/messages`, {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${tenant.apiKey}`, ...framing },
      });
      sending.write('x'.repeat(2 * MIB));
      const [answer] = (await once(sending, 'response')) as [IncomingMessage];
      sending.end('x'.repeat(6 * MIB));
      answer.resume();
      await once(sending, 'close');
      agent.destroy();
      assert.deepEqual([answer.statusCode, answer.headers.connection], [413, 'keep-alive']);
    });
  }

  it('too large: the gateway keeps serving others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send(gateway, tenant, index % 2 ? bodyOf(2 * MIB) : templateTo(freshRecipient())),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array.from({ length: 20 }, (_, index) => (index % 2 ? 413 : 202)),
    );
  });
});
