import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { encodeMultipart } from '../../harness/multipart.ts';
import { exchangeRaw, parseRaw } from '../../harness/raw-http.ts';
import { call, freshRecipient, send, sendsTo, templateTo } from '../../harness/tenant.ts';

describe('bytes that are not a whole, valid request', () => {
  const gateway = useGateway({ requestTimeoutMs: 300 });
  const tenant = useTenant(gateway);

  const head = (lines: string[] = []) =>
    [
      `POST /v1/${tenant.phoneNumberId}/messages HTTP/1.1`,
      'host: x',
      `authorization: Bearer ${tenant.apiKey}`,
      ...lines,
      '',
      '',
    ].join('\r\n');
  /** Returns the first answer, which must be an error body with a request id. */
  const refusal = async (request: string | Uint8Array): Promise<{ status: number; code: string; closes: boolean }> => {
    const text = await exchangeRaw(gateway, request);
    const { status, headers, body } = parseRaw(text);
    assert.ok(headers.get('x-request-id'), text);
    const json = JSON.parse(body);
    assert.equal(json.request_id, headers.get('x-request-id'));
    assert.equal(typeof json.message, 'string');
    return { status, code: json.code as string, closes: headers.get('connection') === 'close' };
  };
  const assertServing = async () => {
    assert.equal((await send(gateway, tenant, templateTo(freshRecipient()))).status, 202);
  };

  const MALFORMED: Record<string, (head: (lines?: string[]) => string) => string | Uint8Array> = {
    'no HTTP at all': () => 'hello there\r\n\r\n',
    'a TLS greeting': () => Buffer.from('16030100c8010000c40303', 'hex'),
    'binary noise': () => Buffer.from(Array.from({ length: 400 }, (_, index) => (index * 151 + 7) % 256)),
    'an unknown method': () => 'BREW /v1/1/messages HTTP/1.1\r\nhost: x\r\n\r\n',
    'an unknown version': () => 'GET / HTTP/9.9\r\nhost: x\r\n\r\n',
    'a header without a colon': (head) => head(['nonsense']),
    'a space before the colon': (head) => head(['x-a : b']),
    'a control character in a header': (head) => head(['x-a: \u0001\u0000']),
    'two lengths that differ': (head) => head(['content-length: 2', 'content-length: 3']),
    'a negative length': (head) => head(['content-length: -1']),
    'a length that is no number': (head) => head(['content-length: two']),
    'both a length and chunks': (head) => `${head(['content-length: 4', 'transfer-encoding: chunked'])}0\r\n\r\n`,
    'a broken chunk size': (head) => `${head(['transfer-encoding: chunked'])}zz\r\n{}\r\n0\r\n\r\n`,
    'an unknown transfer encoding': (head) => `${head(['transfer-encoding: gzip'])}{}`,
    'a chunked encoding that is not last': (head) => `${head(['transfer-encoding: chunked, identity'])}0\r\n\r\n`,
    'no Host': () => 'POST /v1/1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}',
    'a folded header': (head) => head(['x-a: b', ' c: d']),
  };

  for (const [name, build] of Object.entries(MALFORMED)) {
    it(`are answered 4xx in the error shape and closed: ${name}`, async () => {
      const { status, closes } = await refusal(build(head));
      assert.ok(status >= 400 && status < 500, `${name}: ${status}`);
      assert.ok(closes, 'nothing more is read from such a connection');
      await assertServing();
    });
  }

  it('are answered 431 when the headers are too large', async () => {
    const { status, code } = await refusal(head([`x-padding: ${'x'.repeat(20 * 1024)}`]));
    assert.equal(status, 431);
    assert.equal(code, 'VALIDATION_ERROR');
  });

  for (const [name, request] of Object.entries<() => string>({
    'headers that never end': () => head().slice(0, -2),
    'half a request line': () => 'POST /v1/',
    'a body that never comes': () => head(['content-length: 100']),
    'half a body': () => `${head(['content-length: 100'])}{"to":`,
    'chunks without an end': () => `${head(['transfer-encoding: chunked'])}5\r\n{"to"\r\n`,
  })) {
    it(`are answered 408 REQUEST_TIMEOUT and closed: ${name}`, async () => {
      const { status, code, closes } = await refusal(request());
      assert.equal(status, 408);
      assert.equal(code, 'REQUEST_TIMEOUT');
      assert.ok(closes);
      await assertServing();
    });
  }

  it('smuggle nothing: bytes after a refused request on its connection are not executed', async () => {
    const to = freshRecipient();
    const body = JSON.stringify(templateTo(to));
    const smuggled = `${head([`content-length: ${body.length}`])}${body}`;
    await exchangeRaw(gateway, `${head(['content-length: 4', 'transfer-encoding: chunked'])}0\r\n\r\n${smuggled}`);
    await assertServing();
    assert.deepEqual(sendsTo(gateway, to), []);
  });

  it('unknown expectations change nothing', async () => {
    const body = JSON.stringify(templateTo(freshRecipient()));
    const expecting = head([`content-length: ${body.length}`, 'expect: a miracle', 'connection: close']);
    assert.equal(parseRaw(await exchangeRaw(gateway, expecting + body)).status, 202);
  });

  it('do not disturb whole requests pipelined on one connection', async () => {
    const bodies = Array.from({ length: 20 }, () => JSON.stringify(templateTo(freshRecipient())));
    const requests = bodies.map((body) => `${head([`content-length: ${body.length}`])}${body}`);
    const text = await exchangeRaw(
      gateway,
      `${requests.join('')}GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    assert.equal(text.match(/HTTP\/1\.1 202 /g)?.length, 20, text.slice(0, 500));
    assert.equal(text.match(/HTTP\/1\.1 200 /g)?.length, 1);
  });

  it('do not hide the answer to an earlier whole request on their connection', async () => {
    const body = JSON.stringify(templateTo(freshRecipient()));
    const text = await exchangeRaw(gateway, `${head([`content-length: ${body.length}`])}${body}hello there\r\n\r\n`);
    assert.equal(parseRaw(text).status, 202, text);
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1);
  });

  it('do not end up in a file sent to the same client', async () => {
    const file = Buffer.alloc(12 * 1024 * 1024, 'a');
    const form = encodeMultipart([
      { name: 'phone_number', value: tenant.phoneNumber },
      { name: 'file', value: file, fileName: 'a.txt', contentType: 'text/plain' },
    ]);
    const { json } = await call(gateway, tenant, 'POST', '/v1/media/upload', form);
    const { hostname, port } = new URL(gateway.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(head().replace(/^POST \S+/, `GET /v1/media/${json.media_id}/download`));
    await once(socket, 'readable');
    const refused = once(gateway.app.http.server, 'clientError');
    socket.write('hello there\r\n\r\n');
    await refused;
    let received = '';
    for await (const chunk of socket) {
      received += chunk.toString('latin1');
      if (received.length > file.length) break;
    }
    assert.match(received.slice(received.indexOf('\r\n\r\n') + 4), /^a+$/);
    assert.ok(received.length > file.length, `${received.length} bytes`);
  });

  it('do not disturb the gateway if the client disconnects in the middle', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const aborted = new AbortController();
        const sending = fetch(`${gateway.baseUrl}/v1/${tenant.phoneNumberId}/messages`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tenant.apiKey}` },
          body: new ReadableStream({
            pull(controller) {
              controller.enqueue(Buffer.from('{"to":'));
              aborted.abort();
            },
          }),
          duplex: 'half',
          signal: aborted.signal,
        });
        await assert.rejects(sending);
      }),
    );
    await assertServing();
  });
});
