import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { encodeMultipart } from '../../harness/multipart.ts';
import { type Answer, call, connectWaba, createTenant, type Tenant, until } from '../../harness/tenant.ts';
import { SAMPLES } from '../../support/media-samples.ts';

const PDF = SAMPLES['application/pdf'];

describe('media objects', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  async function upload(as: Tenant): Promise<string> {
    const form = encodeMultipart([
      { name: 'phone_number', value: as.phoneNumber },
      { name: 'file', value: PDF, fileName: 'a.pdf', contentType: 'application/pdf' },
    ]);
    const answer = await call(gateway, as, 'POST', '/v1/media/upload', form);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.media_id;
  }

  /** Receives media from a person at the number; returns its id. */
  async function receive(to: Tenant): Promise<string> {
    const media = { bytes: Buffer.from('OggS-voice'), mimeType: 'audio/ogg; codecs=opus' };
    await gateway.simulator.world.inbound({
      phoneNumberId: to.phoneNumberId,
      from: '12025550142',
      type: 'audio',
      media,
    });
    const [row] = await gateway.app.db.query<{ media_id: string }>({
      text: 'SELECT media_id FROM media WHERE organization_id = $1 AND bytes IS NULL ORDER BY created_at DESC',
      values: [to.organizationId],
    });
    assert.ok(row);
    return row.media_id;
  }

  const download = (as: Tenant, id: string, query = '') =>
    fetch(`${gateway.baseUrl}/v1/media/${id}/download${query}`, { headers: { authorization: `Bearer ${as.apiKey}` } });

  function notFound(answer: Answer): string {
    assert.deepEqual([answer.status, answer.json.code], [404, 'NOT_FOUND'], answer.text);
    const { request_id: _id, error: _error, ...rest } = answer.json;
    return JSON.stringify(rest);
  }

  it('are shown as in the Graph API, with a URL of the gateway', async () => {
    const id = await upload(tenant);
    const { status, json } = await call(gateway, tenant, 'GET', `/v1/${id}`);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json).sort(), ['file_size', 'id', 'messaging_product', 'mime_type', 'sha256', 'url']);
    assert.deepEqual([json.id, json.mime_type, json.file_size], [id, 'application/pdf', PDF.length]);
    assert.equal(json.url, `${gateway.baseUrl}/v1/media/${id}/download`);
    const some = await call(gateway, tenant, 'GET', `/v24.0/${id}?fields=url,mime_type`);
    assert.deepEqual(Object.keys(some.json).sort(), ['id', 'mime_type', 'url']);
  });

  it("are downloaded with the caller's own key, and never executed as a page", async () => {
    const response = await download(tenant, await upload(tenant));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/pdf');
    assert.equal(response.headers.get('content-length'), String(PDF.length));
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('content-disposition'), 'attachment; filename="a.pdf"');
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), PDF);
  });

  it('can be downloaded repeatedly although clients disconnect in the middle', async () => {
    const id = await upload(tenant);
    for (let index = 0; index < 30; index += 1) {
      const leaving = new AbortController();
      const gone = fetch(`${gateway.baseUrl}/v1/media/${id}/download`, {
        headers: { authorization: `Bearer ${tenant.apiKey}` },
        signal: leaving.signal,
      });
      if (index % 2 === 0) await gone;
      leaving.abort();
      await gone.catch(() => {});
    }
    await until('a download goes through', async () =>
      (await download(tenant, id)).status === 200 ? true : undefined,
    );
  });

  it('count as transfers while they are opened, even if their clients have left', async () => {
    const id = await upload(tenant);
    const { world } = gateway.simulator;
    const slow = world.addFault({ fault: { kind: 'slow', delayMs: 2_000 }, scope: { endpoint: 'numbers' } });
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${tenant.apiKey}` };
    let refused = 0;
    const gone = Array.from({ length: 25 }, async () => {
      const answer = await fetch(`${gateway.baseUrl}/v1/media/${id}/download`, { headers, signal: leaving.signal });
      if (answer.status === 429) refused += 1;
    });
    await until('as many are being opened as may', () => refused === 1 || undefined);
    leaving.abort();
    await Promise.allSettled(gone);
    await setTimeout(200);
    world.clearFaults(slow.id);
    const refusal = await call(gateway, tenant, 'GET', `/v1/media/${id}/download`);
    assert.deepEqual([refusal.status, refusal.json?.code], [429, 'RATE_LIMITED']);
    assert.equal((await download(other, await upload(other))).status, 200);
    await until('they are opened', async () => ((await download(tenant, id)).status === 200 ? true : undefined));
  });

  it('received from a person: found under the receiving number', async () => {
    const id = await receive(tenant);
    const node = await call(gateway, tenant, 'GET', `/v1/${id}`);
    assert.equal(node.json.mime_type, 'audio/ogg; codecs=opus');
    const response = await download(tenant, id);
    assert.equal(response.headers.get('content-type'), 'audio/ogg; codecs=opus');
    assert.equal(
      response.headers.get('content-disposition'),
      `attachment; filename="${id}.ogg"`,
      'a name to save under',
    );
    assert.equal(await response.text(), 'OggS-voice');
    assert.equal((await call(gateway, tenant, 'DELETE', `/v1/${id}`)).status, 200);
  });

  it('are absent once deleted', async () => {
    const id = await upload(tenant);
    assert.deepEqual((await call(gateway, tenant, 'DELETE', `/v1/${id}`)).json, { success: true });
    notFound(await call(gateway, tenant, 'DELETE', `/v1/${id}`));
    notFound(await call(gateway, tenant, 'GET', `/v1/${id}`));
    assert.equal((await download(tenant, id)).status, 404);
  });

  it("another organization's: answered like an unknown object", async () => {
    const mine = await upload(tenant);
    const received = await receive(tenant);
    const absent = notFound(await call(gateway, other, 'GET', '/v1/999999999999999'));
    for (const id of [mine, received, 'x1', '%00', 'a1'.repeat(100), `${mine} `, `../${mine}`]) {
      const path = `/v1/${encodeURIComponent(id)}`;
      assert.equal(notFound(await call(gateway, other, 'GET', path)), absent);
      assert.equal(notFound(await call(gateway, other, 'DELETE', path)), absent);
      assert.equal(notFound(await call(gateway, other, 'GET', `/v1/media/${encodeURIComponent(id)}/download`)), absent);
      const withNumber = `${path}?phone_number_id=${tenant.phoneNumberId}`;
      assert.equal(notFound(await call(gateway, other, 'GET', withNumber)), absent);
    }
    assert.equal((await call(gateway, tenant, 'GET', `/v1/${mine}`)).status, 200);
  });

  it('stay with their organization if one token reaches accounts of several', async () => {
    const { world } = gateway.simulator;
    const shared = 'EAAtoken-of-a-provider';
    const [first, second] = [await createTenant(gateway), await createTenant(gateway)];
    for (const { organizationId, wabaId } of [first, second]) {
      world.rotateToken(wabaId, shared);
      await connectWaba(gateway, organizationId, wabaId);
    }
    const id = await upload(first);
    notFound(await call(gateway, second, 'GET', `/v1/${id}`));
    notFound(await call(gateway, second, 'DELETE', `/v1/${id}`));
    assert.equal((await download(second, id)).status, 404);
    assert.equal((await download(first, id)).status, 200);
  });

  it("made elsewhere: found among the organization's numbers, or under the named one", async () => {
    const id = await upload(tenant);
    await gateway.app.db.query({ text: 'DELETE FROM media WHERE media_id = $1', values: [id] });
    assert.equal((await call(gateway, tenant, 'GET', `/v1/${id}`)).status, 200);
    const own = await call(gateway, tenant, 'GET', `/v1/${id}?phone_number_id=${tenant.phoneNumberId}`);
    assert.equal(own.json.url, `${gateway.baseUrl}/v1/media/${id}/download?phone_number_id=${tenant.phoneNumberId}`);
    assert.equal((await download(tenant, id, `?phone_number_id=${tenant.phoneNumberId}`)).status, 200);
    notFound(await call(gateway, tenant, 'GET', `/v1/${id}?phone_number_id=1`));
    const open = await call(gateway, tenant, 'GET', `/v1/${id}?phone_number_id=`);
    assert.equal(open.json.url, `${gateway.baseUrl}/v1/media/${id}/download`, 'an empty one says nothing');
    assert.equal((await download(tenant, id, '?phone_number_id=')).status, 200);
  });

  it('unknown ids: looked up upstream a limited number of times', async () => {
    const curious = await createTenant(gateway);
    const ids = Array.from({ length: 120 }, (_, index) => `/v1/99${index}`);
    const answers = await Promise.all(ids.map((path) => call(gateway, curious, 'GET', path)));
    const refused = answers.filter(({ status }) => status === 429);
    for (const answer of answers) if (!refused.includes(answer)) notFound(answer);
    assert.ok(refused.length > 0 && refused.length <= 60, `${refused.length} refused`);
    assert.equal(refused[0]?.json.code, 'RATE_LIMITED');
    assert.ok(refused[0]?.headers.get('retry-after'));
    assert.equal((await call(gateway, curious, 'GET', `/v1/${await upload(curious)}`)).status, 200);
  });

  it('are answered 503 or 422 if the upstream is unavailable or refuses', async () => {
    const id = await upload(tenant);
    const { world } = gateway.simulator;
    world.addFault({ fault: { kind: 'error', code: 2 }, scope: { endpoint: 'numbers' }, times: 1 });
    const passing = await call(gateway, tenant, 'GET', `/v1/${id}`);
    assert.deepEqual([passing.status, passing.json.code], [503, 'UNAVAILABLE']);
    world.addFault({ fault: { kind: 'error', code: 190 }, scope: { endpoint: 'numbers' }, times: 1 });
    const lasting = await call(gateway, tenant, 'GET', `/v1/${id}`);
    assert.deepEqual([lasting.status, lasting.json.code], [422, 'PROVIDER_REJECTED']);
    assert.equal(lasting.json.provider_error.code, 190);
  });
});
