import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { pullAll } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';
import { type Answer, admin, call, connectWaba, issueKey, type Tenant } from '../../harness/tenant.ts';

const PNG = { 'content-type': 'image/png', file_offset: '0' };

describe('resumable uploads', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  const open = (file: Buffer, path = `/v24.0/${UPSTREAM_APP.appId}/uploads`, as: Tenant = tenant) =>
    call(gateway, as, 'POST', `${path}?file_name=a.png&file_length=${file.length}&file_type=image/png`);
  const send = (id: string, body: Buffer, headers: Record<string, string> = PNG, as: Tenant = tenant) =>
    call(gateway, as, 'POST', `/v24.0/${id}`, { body, headers });
  const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const sampleOf = (handle: string) => gateway.simulator.world.uploads.findSample(handle);
  const lastCall = () => gateway.simulator.world.calls.list().at(-1);

  async function upload(file: Buffer, as: Tenant = tenant): Promise<string> {
    const { json } = await open(file, undefined, as);
    const answer = await send(json.id, file, PNG, as);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.h;
  }

  it('a file in one part: the same bytes at the platform, its handle as the answer', async () => {
    const file = randomBytes(3 * 1024 * 1024 + 7);
    const opened = await open(file);
    assert.match(opened.json.id, /^upload:[\w-]+\?sig=[\w-]+$/);
    assert.deepEqual(Object.keys(opened.json), ['id']);
    const answer = await send(opened.json.id, file);
    assert.deepEqual(Object.keys(answer.json), ['h']);
    assert.deepEqual(sampleOf(answer.json.h), { fileType: 'image/png', sha256: hashOf(file) });
    assert.equal(lastCall()?.contentType, 'image/png');
  });

  it('an interrupted file: goes on at the offset that the platform reports', async () => {
    const file = randomBytes(5_000);
    const { id } = (await open(file)).json;
    assert.equal((await send(id, file.subarray(0, 2_000))).json.file_offset, 2_000);
    const progress = await call(gateway, tenant, 'GET', `/v24.0/${id}`);
    assert.deepEqual(progress.json, { id, file_offset: 2_000 });
    const again = await send(id, file);
    assert.equal(again.json.error.message, '(#100) The header file_offset must be 2000.');
    const { h } = (await send(id, file.subarray(2_000), { ...PNG, file_offset: '2000' })).json;
    assert.equal(sampleOf(h)?.sha256, hashOf(file));
  });

  it('every spelling of paths and keys: the same upload', async () => {
    const file = randomBytes(10);
    await admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { cloud_api_credentials: true });
    for (const path of [
      '/app/uploads',
      '/v24.0/app/uploads/',
      '/v1/app/uploads',
      '/v1/4242/uploads',
      '/4242/uploads',
    ]) {
      const { status, json } = await open(file, path);
      assert.equal(status, 200, path);
      const [name = '', signature = ''] = (json.id as string).split('?');
      for (const spelled of [
        `/v24.0/${json.id}`,
        `/${json.id}`,
        `/v1/${json.id}`,
        `/v24.0/${name}?access_token=${tenant.apiKey}&${signature}`,
        `/v24.0/${encodeURIComponent(json.id)}`,
        `/v1/uploads/${encodeURIComponent(json.id)}`,
      ]) {
        const headers = { authorization: `OAuth ${tenant.apiKey}` };
        const progress = await call(gateway, undefined, 'GET', spelled, { headers });
        assert.deepEqual(progress.json, { id: json.id, file_offset: 0 }, spelled);
        assert.ok(!lastCall()?.url.includes('access_token'), spelled);
      }
      const asForm = { ...PNG, 'content-type': 'application/x-www-form-urlencoded' };
      assert.ok((await send(json.id, file, asForm)).json.h, path);
      assert.equal(lastCall()?.contentType, 'application/octet-stream');
    }
  });

  it('parameters in the body, other parameters: only those of an upload reach the platform', async () => {
    const path = `/v24.0/${UPSTREAM_APP.appId}/uploads`;
    const parameters = { file_name: 'ä b.png', file_length: 5, file_type: 'image/png' };
    assert.equal((await call(gateway, tenant, 'POST', path, { body: parameters })).status, 200);
    assert.equal(lastCall()?.url, `${path}?${new URLSearchParams({ ...parameters, file_length: '5' })}`);
    await call(gateway, tenant, 'POST', `${path}?file_length=5&file_type=image/png&access_token=EAA&method=get`);
    assert.equal(lastCall()?.url, `${path}?file_length=5&file_type=image%2Fpng`);
    const refused = await call(gateway, tenant, 'POST', path, { body: { ...parameters, access_token: 'EAA' } });
    assertError(refused, 400, 'VALIDATION_ERROR');
    const absent = await call(gateway, tenant, 'POST', path);
    assert.equal(absent.json.error.code, 100);
    assertError(await open(randomBytes(1), '/v1/12ab/uploads'), 404, 'NOT_FOUND');
  });

  it("another organization's upload: the bytes of an invented one, nothing at the platform", async () => {
    gateway.simulator.world.rotateToken(tenant.wabaId, 'EAAshared');
    gateway.simulator.world.rotateToken(other.wabaId, 'EAAshared');
    await connectWaba(gateway, tenant.organizationId, tenant.wabaId);
    await connectWaba(gateway, other.organizationId, other.wabaId);
    const file = randomBytes(100);
    const { id } = (await open(file, undefined, other)).json;
    const last = gateway.simulator.world.calls.list().at(-1)?.sequence ?? 0;
    const invented = id.replace(/\?sig=.*/, '?sig=ARZinvented');
    const plain = (answer: Answer) => `${answer.status} ${textWithoutRequestId(answer)}`;
    for (const spelled of [id, id.split('?')[0], encodeURIComponent(id), `${id}%20`, `${id}&a=b`, 'upload:%00']) {
      for (const method of ['GET', 'POST']) {
        const ask = (one: string) =>
          call(gateway, tenant, method, `/v24.0/${one}`, method === 'GET' ? {} : { body: file, headers: PNG });
        const [theirs, absent] = [await ask(spelled ?? ''), await ask(invented)];
        assert.equal(theirs.status, 404, theirs.text);
        assert.equal(plain(theirs), plain(absent), spelled);
      }
    }
    assert.deepEqual(
      gateway.simulator.world.calls
        .list(last)
        .map(({ url }) => url)
        .filter((url) => url.includes('upload')),
      [],
    );
    assert.ok((await send(id, file, PNG, other)).json.h);
  });

  it('a handle: makes a template with a sample', async () => {
    const handle = await upload(randomBytes(64));
    const create = (name: string, header_handle: string) =>
      call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/message_templates`, {
        body: {
          name,
          language: 'en_US',
          category: 'MARKETING',
          components: [
            { type: 'HEADER', format: 'IMAGE', example: { header_handle: [header_handle] } },
            { type: 'BODY', text: 'New this week.' },
          ],
        },
      });
    const created = await create('with_sample', handle);
    assert.ok(created.status < 300, created.text);
    const forged = await create('with_forged_sample', `${handle}x`);
    assert.equal(forged.status, 422, forged.text);
  });

  it('a slow or a chunked body: no connection to the platform before it has arrived', async () => {
    const file = randomBytes(4_096);
    const { id } = (await open(file)).json;
    const before = gateway.simulator.world.calls.list().length;
    const client = request(`${gateway.baseUrl}/v24.0/${id}`, {
      method: 'POST',
      headers: { ...PNG, authorization: `OAuth ${tenant.apiKey}`, 'transfer-encoding': 'chunked' },
    });
    const answered = new Promise<string>((resolve, reject) => {
      client.on('error', reject).on('response', async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve(text);
      });
    });
    client.write(file.subarray(0, 1_000));
    // Another request of the same gateway is answered meanwhile.
    assert.equal((await call(gateway, tenant, 'GET', `/v24.0/${id}`)).json.file_offset, 0);
    assert.equal(gateway.simulator.world.calls.list().length, before + 1);
    client.end(file.subarray(1_000));
    assert.equal(sampleOf(JSON.parse(await answered).h)?.sha256, hashOf(file));
  });

  it('a body of more than 100 MiB: 413; a wrong offset: 400', async () => {
    const { id } = (await open(randomBytes(5))).json;
    const tooLarge = await new Promise<number | undefined>((resolve, reject) => {
      const client = request(`${gateway.baseUrl}/v24.0/${id}`, {
        method: 'POST',
        headers: { ...PNG, authorization: `Bearer ${tenant.apiKey}`, 'content-length': 100 * 1024 * 1024 + 1 },
      });
      client.on('error', reject).on('response', (response) => {
        resolve(response.statusCode);
        client.destroy();
      });
      client.flushHeaders();
    });
    assert.equal(tooLarge, 413);
    assertError(await send(id, randomBytes(5), { ...PNG, file_offset: '-1' }), 400, 'VALIDATION_ERROR');
  });

  it('a key without templates:write: refused; uploads are no change of the configuration', async () => {
    const key = await issueKey(gateway, tenant, { scopes: ['media', 'templates:read'] });
    const refused = await call(gateway, { apiKey: key.key }, 'POST', '/v24.0/app/uploads?file_length=5');
    assertError(refused, 403, 'FORBIDDEN');
    assert.ok((await pullAll(gateway, tenant)).every(({ type }) => type !== 'configuration.changed'));
  });
});
