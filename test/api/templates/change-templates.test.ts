import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, createTenant, freshRecipient, send, type Tenant, templateTo, until } from '../../harness/tenant.ts';
import { captureCreates } from './capture-creates.ts';

const BODY = { type: 'BODY', text: 'The shop opens at nine today.' };

let serial = 40_000;
/** Returns templates of one tenant, with new ids. */
function seed() {
  serial += 100;
  return ['approved', 'approved', 'paused', 'pending', 'disabled'].map((kind, index) => ({
    id: String(serial + index),
    name: kind,
    language: index === 1 ? 'de' : 'en_US',
    category: 'UTILITY',
    status: kind.toUpperCase(),
    components: [BODY],
  }));
}

describe('changing templates', () => {
  let tenant: Tenant;
  let ids: { approved: string; german: string; paused: string; pending: string; disabled: string };
  const gateway = useGateway();
  const other = useTenant(gateway);
  beforeEach(async () => {
    const templates = seed();
    const [approved = '', german = '', paused = '', pending = '', disabled = ''] = templates.map(({ id }) => id);
    ids = { approved, german, paused, pending, disabled };
    tenant = await createTenant(gateway, { templates });
  });

  const as = (caller: Tenant | undefined, method: string, path: string, body?: unknown) =>
    call(gateway, caller, method, path, body === undefined ? {} : { body });
  const statusOf = async (id: string) => (await as(tenant, 'GET', `/v1/templates/${id}`)).json.status;
  const fault = (kind: 'reset_before' | 'reset_after') =>
    gateway.simulator.world.addFault({
      fault: { kind },
      scope: { endpoint: 'templates', wabaId: tenant.wabaId },
      times: 1,
    });
  const refusedSend = async (code: string, name = 'approved') => {
    await until(`a send is refused with ${code}`, async () => {
      const answer = await send(gateway, tenant, templateTo(freshRecipient(), name));
      return answer.json.code === code || undefined;
    });
  };

  describe('editing', () => {
    for (const path of ['/v1/templates/', '/v1/', '/v24.0/']) {
      it(`forwards the bytes at ${path}{id}, stores them and returns to review`, async () => {
        using edits = captureCreates(/^\/v24\.0\/\d+$/);
        const text = `{ "components":[{"type":"BODY","text":"We open at ten \\u2615 today.","n":1.0}], "message_send_ttl_seconds":600 }`;
        const answer = await as(tenant, 'POST', `${path}${ids.approved}`, text);
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(answer.json, { success: true, id: ids.approved, name: 'approved', category: 'UTILITY' });
        assert.deepEqual(edits.bodies, [text]);
        const read = await as(tenant, 'GET', `/v1/templates/${ids.approved}`);
        assert.match(read.text, /"components":\[\{"type":"BODY","text":"We open at ten \\u2615 today.","n":1.0\}\]/);
        assert.equal(read.json.message_send_ttl_seconds, 600);
        assert.ok(['PENDING', 'APPROVED'].includes(read.json.status));
        await until('it is approved again', async () => (await statusOf(ids.approved)) === 'APPROVED' || undefined);
        const decided = await as(tenant, 'GET', `/v1/templates/${ids.approved}`);
        assert.deepEqual(decided.json.components, JSON.parse(text).components);
      });
    }

    it("passes on the upstream's reason for a refusal, and keeps the record", async () => {
      const before = await as(tenant, 'GET', `/v1/templates/${ids.pending}`);
      const answer = await as(tenant, 'POST', `/v1/templates/${ids.pending}`, { components: [BODY] });
      assertError(answer, 422, 'PROVIDER_REJECTED', 100);
      assert.ok(answer.json.provider_error.error_user_title);
      assert.equal((await as(tenant, 'GET', `/v1/templates/${ids.pending}`)).text, before.text);
    });

    for (const body of [
      '',
      '[]',
      '{}',
      '{"components":{}}',
      '{"components":[]}',
      '{"category":"transactional"}',
      '{"category":["UTILITY"]}',
      '{"a":1,"a":2}',
    ]) {
      it(`refuses the body ${body || '(none)'} with 400`, async () => {
        assertError(await as(tenant, 'POST', `/v1/templates/${ids.approved}`, body), 400, 'VALIDATION_ERROR');
      });
    }

    it('answers the same bytes for a foreign template and an unknown one', async () => {
      const body = { components: [BODY] };
      const answers = await Promise.all(
        ['/v1/templates/', '/v1/'].flatMap((path) =>
          [ids.approved, '777'].map((id) => as(other, 'POST', `${path}${id}`, body)),
        ),
      );
      for (const answer of answers) assertError(answer, 404, 'NOT_FOUND');
      assert.equal(new Set(answers.map(textWithoutRequestId)).size, 1);
      assertError(await as(undefined, 'POST', `/v1/templates/${ids.approved}`, body), 401, 'UNAUTHORIZED');
      assert.equal(await statusOf(ids.approved), 'APPROVED');
    });

    it('answers 500 if the upstream is unreachable, and learns the effect of a lost answer', async () => {
      const edit = { components: [{ ...BODY, text: 'The shop is closed today.' }] };
      fault('reset_after');
      assertError(await as(tenant, 'POST', `/v1/templates/${ids.paused}`, edit), 500, 'INTERNAL_ERROR');
      const showsEdit = async () => {
        const { json } = await as(tenant, 'GET', `/v1/templates/${ids.paused}`);
        return json.components[0].text === edit.components[0]?.text || undefined;
      };
      await until('the record has the new text', showsEdit, 60_000);
      // Only now: the look after the lost answer would run into this fault.
      fault('reset_before');
      assertError(await as(tenant, 'POST', `/v1/templates/${ids.paused}`, edit), 500, 'INTERNAL_ERROR');
    });

    it('learns the effect of an edit with a lost answer on a template not read since', async () => {
      const template = { name: 'made_here', language: 'en_US', category: 'UTILITY', components: [BODY] };
      const created = await as(tenant, 'POST', `/v1/${tenant.wabaId}/templates`, template);
      const { id } = created.json;
      await until('it is approved', async () => (await statusOf(id)) === 'APPROVED' || undefined);
      const components = [{ ...BODY, text: 'The shop is closed today.' }];
      fault('reset_after');
      assertError(await as(tenant, 'POST', `/v1/templates/${id}`, { components }), 500, 'INTERNAL_ERROR');
      const showsEdit = async () => {
        const { json } = await as(tenant, 'GET', `/v1/templates/${id}`);
        return json.components[0].text === components[0]?.text || undefined;
      };
      await until('the record has the new text', showsEdit, 20_000);
    });

    it('leaves paths without a template id unknown', async () => {
      assertError(await as(tenant, 'POST', '/v1/nothing', {}), 404, 'NOT_FOUND');
    });
  });

  describe('deleting', () => {
    it('deletes one language by id; the others of the name stay', async () => {
      const answer = await as(tenant, 'DELETE', `/v1/templates/${ids.approved}`);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json, { success: true });
      assert.equal(await statusOf(ids.approved), 'DELETED');
      assert.equal(await statusOf(ids.german), 'APPROVED');
      await refusedSend('TEMPLATE_LANGUAGE_NOT_FOUND');
    });

    it('deletes all languages by name', async () => {
      const answer = await as(tenant, 'DELETE', `/v1/${tenant.wabaId}/message_templates?name=approved`);
      assert.deepEqual(answer.json, { success: true }, answer.text);
      assert.deepEqual([await statusOf(ids.approved), await statusOf(ids.german)], ['DELETED', 'DELETED']);
      await refusedSend('TEMPLATE_NOT_FOUND');
      const { json } = await as(tenant, 'GET', '/v1/templates?name=approved');
      assert.deepEqual(json.data, []);
      const deleted = await as(tenant, 'GET', '/v1/templates?name=approved&status=deleted');
      assert.equal(deleted.json.data.length, 2);
    });

    it('deletes by name and hsm_id, and by hsm_ids', async () => {
      const path = `/v24.0/${tenant.wabaId}/message_templates`;
      assert.equal((await as(tenant, 'DELETE', `${path}?name=approved&hsm_id=${ids.german}`)).status, 200);
      assert.deepEqual([await statusOf(ids.approved), await statusOf(ids.german)], ['APPROVED', 'DELETED']);
      const list = encodeURIComponent(`["${ids.approved}", ${ids.paused}]`);
      assert.equal((await as(tenant, 'DELETE', `${path}?hsm_ids=${list}`)).status, 200);
      assert.deepEqual([await statusOf(ids.approved), await statusOf(ids.paused)], ['DELETED', 'DELETED']);
    });

    it('accepts the selection in the body, where common HTTP clients put it', async () => {
      const path = `/v24.0/${tenant.wabaId}/message_templates`;
      const one = { name: 'approved', hsm_id: Number(ids.german) };
      assert.equal((await as(tenant, 'DELETE', path, one)).status, 200);
      assert.deepEqual([await statusOf(ids.approved), await statusOf(ids.german)], ['APPROVED', 'DELETED']);
      assert.equal((await as(tenant, 'DELETE', path, { hsm_ids: [ids.paused] })).status, 200);
      assert.equal(await statusOf(ids.paused), 'DELETED');
      const all = { name: 'approved', hsm_id: null, hsm_ids: null };
      assert.equal((await as(tenant, 'DELETE', path, all)).status, 200);
      assert.equal(await statusOf(ids.approved), 'DELETED');
    });

    it('deletes no more than body and query together name', async () => {
      const path = `/v24.0/${tenant.wabaId}/message_templates?name=approved`;
      for (const body of [{ hsm_id: 'x' }, { hsm_id: '' }, 'hsm_id=5', '{', [1], { hsm_ids: [ids.german] }]) {
        assertError(await as(tenant, 'DELETE', path, body), 400, 'VALIDATION_ERROR');
      }
      assert.equal((await as(tenant, 'DELETE', path, { hsm_id: ids.german })).status, 200);
      assert.deepEqual([await statusOf(ids.approved), await statusOf(ids.german)], ['APPROVED', 'DELETED']);
      assert.equal((await as(tenant, 'DELETE', path, [])).status, 200);
      assert.equal(await statusOf(ids.approved), 'DELETED');
    });

    it('passes on that a disabled template cannot be deleted', async () => {
      assertError(await as(tenant, 'DELETE', `/v1/templates/${ids.disabled}`), 422, 'PROVIDER_REJECTED', 100);
      assert.equal(await statusOf(ids.disabled), 'DISABLED');
    });

    it('deletes by name templates that were never read here', async () => {
      gateway.simulator.world.addTemplate(tenant.wabaId, {
        id: String(serial + 50),
        name: 'elsewhere',
        language: 'en_US',
      });
      assert.equal((await as(tenant, 'DELETE', `/v1/${tenant.wabaId}/message_templates?name=elsewhere`)).status, 200);
      assert.equal(gateway.simulator.world.accounts.findTemplate(String(serial + 50)), undefined);
    });

    for (const query of [
      '',
      '?name=',
      '?hsm_id=7',
      '?name=a&hsm_id=x',
      '?hsm_ids=',
      '?hsm_ids=[]',
      '?hsm_ids=["x"]',
      '?hsm_ids=7',
      '?hsm_ids=[1]&name=a',
      '?name=%00',
      '?name=a&name=b',
      `?hsm_ids=[${Array.from({ length: 101 }, (_, id) => id)}]`,
    ]) {
      it(`refuses ${query.slice(0, 40) || 'no selection'} with 400`, async () => {
        assertError(
          await as(tenant, 'DELETE', `/v1/${tenant.wabaId}/message_templates${query}`),
          400,
          'VALIDATION_ERROR',
        );
      });
    }

    it('answers the same bytes for foreign templates and unknown ones', async () => {
      const own = `/v1/${other.wabaId}/message_templates`;
      const answers = await Promise.all([
        as(other, 'DELETE', `/v1/templates/${ids.approved}`),
        as(other, 'DELETE', '/v1/templates/777'),
        as(other, 'DELETE', `${own}?name=approved&hsm_id=${ids.approved}`),
        as(other, 'DELETE', `${own}?hsm_ids=[${ids.approved}]`),
        as(other, 'DELETE', `${own}?hsm_ids=[777]`),
      ]);
      for (const answer of answers) assertError(answer, 404, 'NOT_FOUND');
      assert.equal(new Set(answers.map(textWithoutRequestId)).size, 1);
      assertError(await as(other, 'DELETE', `/v1/${tenant.wabaId}/message_templates?name=approved`), 404, 'NOT_FOUND');
      assert.equal(await statusOf(ids.approved), 'APPROVED');
    });

    it('learns the effect of a deletion with a lost answer that could not be checked', async (t) => {
      t.after(() => gateway.simulator.world.setWebhookUrl(`${gateway.baseUrl}/webhooks/upstream`));
      gateway.simulator.world.setWebhookUrl(null);
      for (let call = 0; call < 2; call += 1) fault('reset_after');
      assertError(await as(tenant, 'DELETE', `/v1/templates/${ids.approved}`), 500, 'INTERNAL_ERROR');
      assert.equal(await statusOf(ids.approved), 'APPROVED');
      await until('it is gone', async () => (await statusOf(ids.approved)) === 'DELETED' || undefined, 20_000);
    });

    it('counts a deletion with a lost answer as done if the upstream has none left', async () => {
      fault('reset_after');
      const answer = await as(tenant, 'DELETE', `/v1/templates/${ids.approved}`);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(await statusOf(ids.approved), 'DELETED');
      fault('reset_before');
      assertError(await as(tenant, 'DELETE', `/v1/templates/${ids.german}`), 500, 'INTERNAL_ERROR');
      assert.equal(await statusOf(ids.german), 'APPROVED');
    });
  });
});
