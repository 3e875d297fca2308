import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, createTenant, freshRecipient, send, type Tenant, templateTo, until } from '../../harness/tenant.ts';
import { captureCreates } from './capture-creates.ts';
import { freshName, TEMPLATES, uploadHandle, withHandles } from './template-bodies.ts';

describe('POST /v1/{waba_id}/templates', () => {
  let handles: { image: string; pdf: string };
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  before(async () => {
    handles = {
      image: await uploadHandle(gateway, tenant.wabaId, 'image/jpeg'),
      pdf: await uploadHandle(gateway, tenant.wabaId, 'application/pdf'),
    };
  });

  const create = (body: unknown, path = `/v1/${tenant.wabaId}/templates`, caller: Tenant | undefined = tenant) =>
    call(gateway, caller, 'POST', path, { body });
  const read = async (id: string) => (await call(gateway, tenant, 'GET', `/v1/templates/${id}`)).json;
  const plain = (extra: Record<string, unknown> = {}) => ({ ...TEMPLATES.positional, name: freshName(), ...extra });

  for (const path of ['/v1/WABA/templates', '/v1/WABA/message_templates', '/v24.0/WABA/message_templates']) {
    it(`creates a template as PENDING at ${path} and returns only id, status and category`, async () => {
      const body = plain();
      const answer = await create(body, path.replace('WABA', tenant.wabaId));
      assert.equal(answer.status, 200, answer.text);
      const { id } = answer.json;
      assert.deepEqual(answer.json, { id, status: 'PENDING', category: 'UTILITY' });
      assert.equal(gateway.simulator.world.accounts.findTemplate(id)?.name, body.name);
      const record = await read(id);
      assert.deepEqual(
        { name: record.name, waba_id: record.waba_id, language: record.language, components: record.components },
        { name: body.name, waba_id: tenant.wabaId, language: body.language, components: body.components },
      );
    });
  }

  it("a template of the platform's library: needs no components, and has the platform's", async () => {
    const { components: _, ...body } = plain({ library_template_name: 'delivery_1' });
    const { status, json } = await create(body);
    assert.deepEqual([status, json.status], [200, 'APPROVED']);
    const record = await read(json.id);
    assert.deepEqual(record.components, [{ type: 'BODY', text: 'Text of a library template.' }]);
    assert.equal(
      (await send(gateway, tenant, templateTo(freshRecipient(), body.name, { language: { code: body.language } })))
        .status,
      202,
    );
    assertError(await create({ ...body, name: freshName(), library_template_name: '' }), 400, 'VALIDATION_ERROR');
  });

  it('forwards the exact bytes, unknown fields and component types included', async () => {
    using creates = captureCreates();
    const text = `{ "name":"${freshName()}",  "language":"en","category":"UTILITY", "sub_category" : "ORDER_STATUS",
      "components":[{"type":"BODY","text":"Caf\\u00e9 \\/ bar","x":12345678901234567890,"y":1.0},{"type":"NEW_KIND","z":1E2}],
      "message_send_ttl_seconds":600 }`;
    await create(text);
    assert.deepEqual(creates.bodies, [text]);
  });

  it('accepts the largest real count of fields and refuses more, which would delay others', async () => {
    using creates = captureCreates();
    const fieldsBeside = (body: object, count: number) =>
      Object.fromEntries(
        Array.from({ length: count - Object.keys(body).length }, (_, index) => [`field_${index}`, index]),
      );
    const body = plain();
    const fitting = { ...body, ...fieldsBeside(body, 100) };
    const created = await create(fitting);
    assert.equal(created.status, 200, created.text);
    assert.equal((await read(created.json.id)).field_90, 90);
    const tooMany = { ...fitting, one_more: 1 };
    assertError(await create(tooMany), 400, 'VALIDATION_ERROR');
    const edit = await call(gateway, tenant, 'POST', `/v1/templates/${created.json.id}`, { body: tooMany });
    assertError(edit, 400, 'VALIDATION_ERROR');
    assert.equal(creates.bodies.length, 1);
  });

  for (const [kind, template] of Object.entries(TEMPLATES)) {
    it(`passes a template of the kind ${kind} through unchanged and stores it as sent`, async () => {
      using creates = captureCreates();
      // The review is decided after the template is stored; a faster decision would cause a look-up, which may take its time.
      const body = withHandles({ ...template, name: `${freshName()}_slow` }, handles);
      const answer = await create(body);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(
        creates.bodies.map((sent) => JSON.parse(sent)),
        [body],
      );
      await gateway.simulator.world.setTemplateStatus(answer.json.id, { status: 'APPROVED' });
      const decided = await until('the review is decided', async () => {
        const record = await read(answer.json.id);
        return record.status === 'APPROVED' ? record : undefined;
      });
      assert.deepEqual(decided.components, body.components);
      for (const [key, value] of Object.entries(body)) {
        if (key !== 'category') assert.deepEqual(decided[key], value, key);
      }
    });
  }

  it('is known to sends once answered, whatever they learned of its name before', async () => {
    const name = freshName();
    const sendCode = async (language: string) =>
      (await send(gateway, tenant, templateTo(freshRecipient(), name, { language: { code: language } }))).json.code;
    assert.equal(await sendCode('en_US'), 'TEMPLATE_NOT_FOUND');
    for (const language of ['en_US', 'de', 'fr']) {
      assert.equal((await create(plain({ name, language }))).status, 200);
      assert.equal(await sendCode(language), 'TEMPLATE_NOT_APPROVED', language);
    }
  });

  it('sends the format NAMED upstream if an example names its parameters', async () => {
    using creates = captureCreates();
    const { parameter_format: _, ...named } = TEMPLATES.named;
    const text = JSON.stringify({ ...named, name: freshName() });
    const answer = await create(text);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(creates.bodies, [`{"parameter_format":"NAMED",${text.slice(1)}`]);
    assert.equal((await read(answer.json.id)).parameter_format, 'NAMED');
  });

  it('category and format in lower case: forwarded as sent, stored in capitals', async () => {
    using creates = captureCreates();
    const text = JSON.stringify({
      ...TEMPLATES.named,
      name: freshName(),
      category: 'utility',
      parameter_format: 'named',
    });
    const answer = await create(text);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(creates.bodies, [text]);
    const { category, parameter_format: format } = await read(answer.json.id);
    assert.deepEqual([category, format], ['UTILITY', 'NAMED']);
  });

  it('answers the category the upstream assigned', async () => {
    const answer = await create(plain({ name: `${freshName()}_recategorize` }));
    assert.equal(answer.json.category, 'MARKETING', answer.text);
    assert.equal((await read(answer.json.id)).category, 'MARKETING');
  });

  const invalidBodies: [what: string, body: unknown][] = [
    ['no JSON', '{"name":'],
    ['an array', '[]'],
    ['an empty body', ''],
    ['a repeated key', '{"name":"a","name":"b"}'],
    ['no name', { ...TEMPLATES.positional, name: undefined }],
    ['a name with capitals', { ...TEMPLATES.positional, name: 'Sale' }],
    ['a name with a hyphen', { ...TEMPLATES.positional, name: 'spring-sale' }],
    ['a name with a line break', { ...TEMPLATES.positional, name: 'sale\n' }],
    ['an empty name', { ...TEMPLATES.positional, name: '' }],
    ['a name that is no string', { ...TEMPLATES.positional, name: 7 }],
    ['no language', plain({ language: undefined })],
    ['a language with a hyphen', plain({ language: 'en-US' })],
    ['a language nobody lists', plain({ language: 'tlh' })],
    ['an unknown category', plain({ category: 'TRANSACTIONAL' })],
    ['no category', plain({ category: undefined })],
    ['no components', plain({ components: undefined })],
    ['empty components', plain({ components: [] })],
    ['components that are no array', plain({ components: { type: 'BODY', text: 'x' } })],
    ['a component that is no object', plain({ components: ['BODY'] })],
    ['an unknown parameter format', plain({ parameter_format: 'MIXED' })],
    [
      'too many sample URLs',
      plain({
        components: [
          { type: 'HEADER', example: { header_handle: Array.from({ length: 21 }, (_, n) => `http://h/${n}`) } },
        ],
      }),
    ],
  ];
  for (const [what, body] of invalidBodies) {
    it(`refuses ${what} with 400 VALIDATION_ERROR and calls no upstream`, async () => {
      using creates = captureCreates();
      assertError(await create(body), 400, 'VALIDATION_ERROR', 100);
      assert.deepEqual(creates.bodies, []);
    });
  }

  it('refuses a caller without a key before it reads anything', async () => {
    assertError(
      await call(gateway, undefined, 'POST', `/v1/${tenant.wabaId}/templates`, { body: '{' }),
      401,
      'UNAUTHORIZED',
    );
  });

  it('answers the same bytes for a foreign WABA and an unknown one', async () => {
    using creates = captureCreates();
    const answers = await Promise.all(
      [other.wabaId, '999999999999999', 'x%00y'].map((id) => create(plain(), `/v1/${id}/templates`)),
    );
    for (const answer of answers) assertError(answer, 404, 'NOT_FOUND');
    assert.equal(new Set(answers.map(textWithoutRequestId)).size, 1);
    assert.deepEqual(creates.bodies, []);
  });

  it('refuses a WABA without a registered number with 409', async () => {
    const unregistered = await createTenant(gateway, { number: { status: 'PENDING' } });
    assertError(
      await create(plain(), `/v1/${unregistered.wabaId}/templates`, unregistered),
      409,
      'ACCOUNT_NOT_REGISTERED',
      133010,
    );
  });

  it('passes on why the upstream rejects a template, in all three fields', async () => {
    const body = plain();
    assert.equal((await create(body)).status, 200);
    const duplicate = await create(body);
    assertError(duplicate, 422, 'PROVIDER_REJECTED', 100);
    assert.equal(duplicate.json.provider_error.code, 100);
    assert.equal(duplicate.json.provider_error.error_user_title, 'Content in This Language Already Exists');
    assert.equal(typeof duplicate.json.provider_error.error_user_msg, 'string');
    // The place where Cloud API clients look for the text to show.
    const { error_user_title, error_user_msg, error_subcode } = duplicate.json.error;
    assert.deepEqual({ code: 100, error_user_title, error_user_msg }, duplicate.json.provider_error);
    assert.equal(error_subcode, 2388024, 'by which they tell one reason from another');
  });

  it('completes an explanation that the upstream left out', async () => {
    gateway.simulator.world.addFault({
      fault: { kind: 'error', code: 100, details: 'Something is off.' },
      scope: { endpoint: 'templates', wabaId: tenant.wabaId },
      times: 1,
    });
    const { json } = await create(plain());
    for (const field of ['error_user_title', 'error_user_msg']) {
      assert.ok(json.provider_error[field].length > 0, JSON.stringify(json));
    }
  });

  it("reports a refused token as PROVIDER_REJECTED with the upstream's code", async () => {
    const revoked = await createTenant(gateway);
    gateway.simulator.world.rotateToken(revoked.wabaId, 'EAAanother');
    const answer = await create(plain(), `/v1/${revoked.wabaId}/templates`, revoked);
    assertError(answer, 422, 'PROVIDER_REJECTED', 190);
  });

  const passing = [
    { kind: 'error', code: 2 },
    { kind: 'error', code: 131000 },
    { kind: 'error', code: 80008 },
    { kind: 'http', httpStatus: 503, body: '<html>', contentType: 'text/html' },
    { kind: 'reset_before' },
  ] as const;
  for (const fault of passing) {
    it(`answers 500 INTERNAL_ERROR for transient trouble: ${JSON.stringify(fault)}`, async () => {
      const scope = { endpoint: 'templates', wabaId: tenant.wabaId } as const;
      gateway.simulator.world.addFault({ fault, scope, times: 1 });
      const body = plain();
      assertError(await create(body), 500, 'INTERNAL_ERROR', 2);
      assert.equal((await create(body)).status, 200, 'a retry succeeds');
    });
  }

  for (const kind of ['reset_after', 'reply_cut'] as const) {
    it(`answers 200 if the template was created and only the answer was lost: ${kind}`, async () => {
      gateway.simulator.world.addFault({
        fault: { kind },
        scope: { endpoint: 'templates', wabaId: tenant.wabaId },
        times: 1,
      });
      const body = plain();
      const answer = await create(body);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual((await read(answer.json.id)).components, body.components);
    });
  }
});
