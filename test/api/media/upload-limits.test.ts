import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { type EncodedForm, encodeMultipart } from '../../harness/multipart.ts';
import { createTenant, until } from '../../harness/tenant.ts';
import { SAMPLES } from '../../support/media-samples.ts';

const MIB = 1024 * 1024;

describe('the limits of uploads', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  const form = (as = tenant): EncodedForm =>
    encodeMultipart([
      { name: 'phone_number', value: as.phoneNumber },
      { name: 'file', value: SAMPLES['image/png'], fileName: 'a.png', contentType: 'image/png' },
    ]);

  /** Opens an upload whose body the test writes. */
  function open(headers: Record<string, string | number>, as = tenant): ClientRequest {
    return request(`${gateway.baseUrl}/v1/media/upload`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${as.apiKey}`, ...form(as).headers, ...headers },
    });
  }

  async function answerOf(outgoing: ClientRequest): Promise<{ status: number; code: string; retryAfter: unknown }> {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const { code = '' } = JSON.parse(Buffer.concat(chunks).toString()) as { code?: string };
    return { status: response.statusCode ?? 0, code, retryAfter: response.headers['retry-after'] };
  }

  /** Returns the next request once its route has begun to read its body. */
  async function beingRead(): Promise<IncomingMessage> {
    const [incoming] = (await once(gateway.app.http.server, 'request')) as [IncomingMessage];
    return until('the body is being read', () => (incoming.listenerCount('data') > 0 ? incoming : undefined));
  }

  it('a body announced too large: 413 before any of it is sent', async () => {
    const outgoing = open({ 'content-length': 151 * MIB });
    outgoing.flushHeaders();
    const { status, code } = await answerOf(outgoing);
    assert.deepEqual([status, code], [413, 'PAYLOAD_TOO_LARGE']);
    outgoing.on('error', () => {}).destroy();

    const urlencoded = open({ 'content-type': 'application/x-www-form-urlencoded', 'content-length': 151 * MIB });
    urlencoded.flushHeaders();
    assert.equal((await answerOf(urlencoded)).status, 413);
    urlencoded.on('error', () => {}).destroy();
  });

  it('a body that proves too large: 413', async () => {
    const outgoing = open({ 'transfer-encoding': 'chunked' });
    const answer = answerOf(outgoing);
    const { body } = form();
    outgoing.write(body.subarray(0, body.indexOf('IEND')));
    let answered = false;
    void answer.then(() => {
      answered = true;
    });
    outgoing.on('error', () => {});
    for (let sent = 0; sent < 160 && !answered; sent += 1) {
      if (!outgoing.write(Buffer.alloc(MIB))) await Promise.race([once(outgoing, 'drain'), answer]);
    }
    const { status, code } = await answer;
    assert.deepEqual([status, code], [413, 'PAYLOAD_TOO_LARGE']);
    outgoing.destroy();
  });

  it('a file of a hundred megabytes fits into an urlencoded form', async () => {
    const outgoing = open({ 'content-type': 'application/x-www-form-urlencoded', 'transfer-encoding': 'chunked' });
    const answer = textOf(outgoing);
    outgoing.write(`phone_number=${tenant.phoneNumber}&file=`);
    await writeDataUri(outgoing, encodeURIComponent);
    outgoing.end();
    const text = await answer;
    assert.equal(JSON.parse(text).bytes, 100 * MIB, text);
  });

  it('a file of a hundred megabytes fits into a multipart form as a data URI', async () => {
    const outgoing = open({ 'content-type': 'multipart/form-data; boundary=x', 'transfer-encoding': 'chunked' });
    const answer = textOf(outgoing);
    const part = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
    outgoing.write(`${part('phone_number')}${tenant.phoneNumber}\r\n${part('file')}`);
    await writeDataUri(outgoing, (base64) => base64);
    outgoing.end('\r\n--x--\r\n');
    const text = await answer;
    assert.equal(JSON.parse(text).bytes, 100 * MIB, text);
  });

  async function textOf(outgoing: ClientRequest): Promise<string> {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return text;
  }

  /** Writes a PDF of 100 MiB as a data URI spelled by `encode`. */
  async function writeDataUri(outgoing: ClientRequest, encode: (base64: string) => string): Promise<void> {
    outgoing.write('data:application/pdf;base64,');
    // Blocks of a multiple of three bytes have no padding, so they can follow one another.
    const block = randomBytes(3 * MIB);
    block.write('%PDF-1.7\n');
    const encoded = encode(block.toString('base64'));
    for (let blocks = 0; blocks < 33; blocks += 1) {
      if (!outgoing.write(encoded)) await once(outgoing, 'drain');
    }
    outgoing.write(encode(block.subarray(0, MIB).toString('base64')));
  }

  it('too many uploads of one organization at once: Retry-After; others are not affected', async () => {
    const other = await createTenant(gateway);
    const { body } = form();
    const waiting = Array.from({ length: 64 }, () => open({ 'content-length': body.length }));
    const answers = waiting.map(answerOf);
    for (const outgoing of waiting) outgoing.write(body.subarray(0, 100));
    const refused = await until('an upload is refused', async () => {
      const outgoing = open({ 'content-length': body.length });
      outgoing.end(body);
      const answer = await answerOf(outgoing);
      return answer.status === 429 ? answer : undefined;
    });
    assert.equal(refused.code, 'RATE_LIMITED');
    assert.ok(refused.retryAfter);
    const others = open({ 'content-length': form(other).body.length }, other);
    others.end(form(other).body);
    assert.equal((await answerOf(others)).status, 200);

    for (const outgoing of waiting) outgoing.end(body.subarray(100));
    for (const answer of answers) assert.equal((await answer).status, 200);
  });

  it("a slow upload: outlives the server's time limit for other requests", async () => {
    const { body } = form();
    const outgoing = open({ 'content-length': body.length });
    const answer = answerOf(outgoing);
    const incoming = beingRead();
    outgoing.write(body.subarray(0, 100));
    const { socket } = await incoming;
    const timeout = Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    gateway.app.http.server.emit('clientError', timeout, socket);
    outgoing.end(body.subarray(100));
    assert.equal((await answer).status, 200);
  });

  it('an upload whose client disconnects: leaves nothing behind and is no failure', async () => {
    const { body } = form();
    const outgoing = open({ 'content-length': body.length });
    outgoing.on('error', () => {});
    const incoming = beingRead();
    outgoing.write(body.subarray(0, body.length - 20));
    const { socket } = await incoming;
    outgoing.destroy();
    await until('the connection is gone', () => (socket.destroyed ? true : undefined));
    const dir = join(tmpdir(), `fairway-uploads-${process.getuid?.() ?? 'user'}`);
    await until('no file has a name', async () => ((await readdir(dir)).length === 0 ? true : undefined));
  });
});
