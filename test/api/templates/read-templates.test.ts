import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Queryable } from '../../../src/database/database.ts';
import { storeTemplates } from '../../../src/templates/queries.ts';
import { listNames } from '../../../src/templates/records/record-queries.ts';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { type Answer, call, createTenant, type Tenant } from '../../harness/tenant.ts';
import { freshName, TEMPLATES } from './template-bodies.ts';

const SEED = [
  { id: '5001', name: 'alpha', language: 'en_US', category: 'UTILITY', status: 'APPROVED', qualityScore: 'GREEN' },
  { id: '5002', name: 'alpha', language: 'de', category: 'UTILITY', status: 'REJECTED' },
  { id: '5003', name: 'beta', language: 'en_US', category: 'MARKETING', status: 'APPROVED' },
  { id: '5004', name: 'gamma', language: 'en_US', category: 'MARKETING', status: 'PAUSED' },
  { id: '5005', name: 'delta', language: 'fr', category: 'UTILITY', status: 'APPROVED' },
];

const SEED_IDS = SEED.map(({ id }) => id);

const idsIn = ({ json }: Answer): string[] => json.data.map(({ id }: { id: string }) => id);

describe('reading templates', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway, { templates: SEED });
  const other = useTenant(gateway, { templates: [{ id: '6001', name: 'alpha', language: 'en_US' }] });

  const get = (path: string, caller: Tenant | undefined = tenant) =>
    call(gateway, caller, 'GET', path.replace(gateway.baseUrl, ''));
  const idsOf = async (query: string) => {
    const answer = await get(`/v1/templates${query}`);
    assert.equal(answer.status, 200, answer.text);
    return idsIn(answer).sort();
  };

  it('shows the stored record', async () => {
    const { status, json } = await get('/v1/templates/5001');
    assert.equal(status, 200);
    assert.deepEqual(json, {
      id: '5001',
      waba_id: tenant.wabaId,
      name: 'alpha',
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      parameter_format: 'POSITIONAL',
      components: gateway.simulator.world.accounts.findTemplate('5001')?.components,
      quality_score: 'GREEN',
      rejected_reason: 'NONE',
      created_at: json.created_at,
      updated_at: json.updated_at,
    });
    assert.match(json.created_at, /^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('answers the same bytes for a foreign template and an unknown one', async () => {
    const answers = await Promise.all(
      ['6001', '7777', 'x', '%00', '1'.repeat(40)].map((id) => get(`/v1/templates/${id}`)),
    );
    for (const answer of answers) assertError(answer, 404, 'NOT_FOUND');
    assert.equal(new Set(answers.map(textWithoutRequestId)).size, 1);
    assertError(await call(gateway, undefined, 'GET', '/v1/templates/5001'), 401, 'UNAUTHORIZED');
  });

  it("lists only the organization's templates", async () => {
    assert.deepEqual(await idsOf(''), SEED_IDS);
    assert.deepEqual(await idsOf(`?waba_id=${tenant.wabaId}`), SEED_IDS);
    assert.deepEqual(await idsOf(`?waba_id=${other.wabaId}`), []);
    assertError(await call(gateway, undefined, 'GET', '/v1/templates'), 401, 'UNAUTHORIZED');
  });

  for (const [query, ids] of [
    ['?name=alpha', ['5001', '5002']],
    ['?name=alp', []],
    ['?status=approved', ['5001', '5003', '5005']],
    ['?status=APPROVED&category=marketing', ['5003']],
    ['?language=de', ['5002']],
    ['?name=alpha&language=en_US&unknown=1', ['5001']],
    ['?status=["REJECTED","paused"]', ['5002', '5004']],
    ['?language=de,fr&category=["UTILITY"]', ['5002', '5005']],
    ['?quality_score=GREEN', ['5001']],
    ['?quality_score=unknown&status=APPROVED', ['5003', '5005']],
    ['?name_or_content=LPH', ['5001', '5002']],
    ['?name_or_content=simulator', ['5001', '5002', '5003', '5004', '5005']],
    ['?content=lph', []],
    ['?status=&name=', ['5001', '5002', '5003', '5004', '5005']],
  ] as const) {
    it(`filters by ${query}`, async () => assert.deepEqual(await idsOf(query), ids));
  }

  it('finds text inside a template, however its sender spelled it in JSON', async () => {
    const sender = await createTenant(gateway);
    const bodies = {
      escaped: '"D\\u00E9j\\u00e0 vu \\ud83d\\ude00: \\"100% s\\u00fbr_e\\"\\n24\\/7"',
      plain: '"Déjà vu 😀: \\"100% sûr_e\\"\\n24/7"',
      other: '"Deja vu: 100 sure 247"',
    };
    for (const [name, text] of Object.entries(bodies)) {
      const body = `{"name":"${name}","language":"fr","category":"UTILITY","components":[{"type":"BODY","text":${text}}]}`;
      const created = await call(gateway, sender, 'POST', `/v1/${sender.wabaId}/templates`, { body });
      assert.equal(created.status, 200, created.text);
    }
    const found = async (query: Record<string, string>) => {
      const { json } = await get(`/v1/templates?${new URLSearchParams(query)}`, sender);
      return json.data.map(({ name }: { name: string }) => name).sort();
    };
    for (const part of ['Déjà', 'déjà', 'DÉJÀ VU', '😀', 'sûr_e', '"100%', 'e"\n2', '24/7']) {
      assert.deepEqual(await found({ content: part }), ['escaped', 'plain'], part);
      assert.deepEqual(await found({ name_or_content: part }), ['escaped', 'plain'], part);
    }
    assert.deepEqual(await found({ content: 'VU' }), ['escaped', 'other', 'plain']);
    for (const part of ['\\u00e9', 's%re', 'sure_', '24\\/7'])
      assert.deepEqual(await found({ content: part }), [], part);
  });

  it('pages through everything once, forward and back, whatever the page size', async () => {
    for (const path of ['/v1/templates', `/v1/${tenant.wabaId}/message_templates`]) {
      for (const limit of [1, 2, 3, 5, 1000]) {
        const pages: string[][] = [];
        let page: Answer | undefined;
        for (let next = `${path}?limit=${limit}&name=`; next !== undefined; next = page.json.paging.next) {
          page = await get(next);
          pages.push(idsIn(page));
        }
        assert.deepEqual(pages.flat().sort(), SEED_IDS, `limit ${limit}`);
        assert.equal(pages.length, Math.ceil(SEED.length / limit));
        for (const before of pages.slice(0, -1).toReversed()) {
          page = await get(page?.json.paging.previous ?? '');
          assert.deepEqual(idsIn(page), before);
        }
      }
    }
  });

  const PAD = 'x'.repeat(1_000_000);
  /** Creates a tenant with six templates of one mebibyte, the newest first. */
  const createLarge = async () => {
    const caller = await createTenant(gateway);
    const made: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const body = { ...TEMPLATES.positional, name: freshName(), pad: PAD };
      const { json } = await call(gateway, caller, 'POST', `/v1/${caller.wabaId}/templates`, { body });
      made.unshift(json.id);
    }
    return { caller, made };
  };

  it('keeps sent contents in a sync, which reads a few mebibytes at a time', async () => {
    const { caller, made } = await createLarge();
    const reading = made.map((id) => ({
      id,
      name: `read_${id}`,
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      parameterFormat: null,
      rejectedReason: null,
      qualityScore: null,
      components: '[{"type":"BODY","text":"Hello"}]',
      otherFields: '{"more":1}',
    }));
    const written: number[] = [];
    await gateway.app.db.transaction((tx) => {
      const noted: Queryable = {
        query(statement) {
          written.push(JSON.stringify(statement.values).length);
          return tx.query(statement);
        },
      };
      return storeTemplates(noted, caller, reading, Date.now());
    });
    assert.ok(Math.max(...written) < 5 * 1024 * 1024, written.join());
    for (const id of made) {
      const { json } = await get(`/v1/templates/${id}`, caller);
      assert.deepEqual([json.name, json.pad === PAD, json.more], [`read_${id}`, true, 1]);
    }
  });

  it('reads only the names of templates to be deleted', async () => {
    const { caller, made } = await createLarge();
    const { organizationId, wabaId } = caller;
    const { db } = gateway.app;
    for (const wanted of [{ ids: made }, { name: (await get(`/v1/templates/${made[0]}`, caller)).json.name }]) {
      const named = await listNames(db, organizationId, wabaId, wanted);
      assert.equal(named.length, 'ids' in wanted ? made.length : 1);
      for (const record of named) assert.deepEqual(Object.keys(record), ['id', 'name']);
    }
    const query = `hsm_ids=${encodeURIComponent(JSON.stringify(made))}`;
    const { status } = await call(gateway, caller, 'DELETE', `/v1/${wabaId}/message_templates?${query}`);
    assert.equal(status, 200);
    assert.equal((await get(`/v1/templates/${made[0]}`, caller)).json.status, 'DELETED');
  });

  it('has no paging for an empty list, because Cloud API clients expect cursors in it', async () => {
    for (const path of ['/v1/templates', `/v24.0/${tenant.wabaId}/message_templates`]) {
      assert.deepEqual((await get(`${path}?name=nothing`)).json, { data: [] });
    }
  });

  for (const query of [
    '?limit=0',
    '?limit=x',
    '?limit=-1',
    '?after=x',
    '?after=MQ',
    '?before=%00',
    '?name=%00',
    '?name=a&name=b',
  ]) {
    it(`refuses ${query} with 400`, async () => {
      assertError(await get(`/v1/templates${query}`), 400, 'VALIDATION_ERROR');
      assertError(await get(`/v1/${tenant.wabaId}/message_templates${query}`), 400, 'VALIDATION_ERROR');
    });
  }

  it('states the valid range of a limit', async () => {
    const { json } = await get(`/v24.0/${tenant.wabaId}/message_templates?limit=0`);
    assert.equal(json.message, '"limit" must be a whole number from 1 to 999999.');
  });

  for (const version of ['v1', 'v24.0', 'v19.0']) {
    it(`lists as the Cloud API under /${version}`, async () => {
      const { status, json } = await get(`/${version}/${tenant.wabaId}/message_templates?name=alpha&language=en_US`);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json), ['data', 'paging']);
      const [template] = json.data;
      assert.deepEqual(template.quality_score, { score: 'GREEN', date: 1_750_000_000 });
      assert.equal(template.status, 'APPROVED');
      assert.deepEqual(Object.keys(json.paging), ['cursors']);
      assert.deepEqual(Object.keys(json.paging.cursors), ['before', 'after']);
    });
  }

  it('reports a duplicate parameter, and ignores an unknown one', async () => {
    const lists = {
      '/v1/templates': ['waba_id', 'after'],
      [`/v1/${tenant.wabaId}/message_templates`]: ['fields', 'before'],
    };
    for (const [list, own] of Object.entries(lists)) {
      for (const name of [...own, 'name', 'status', 'limit']) {
        const answer = await call(gateway, tenant, 'GET', `${list}?${name}=1&${name}=2`);
        assertError(answer, 400, 'VALIDATION_ERROR');
        assert.equal(answer.json.message, `"${name}" may be given once.`);
      }
      assert.equal((await call(gateway, tenant, 'GET', `${list}?debug=1&debug=2`)).status, 200);
    }
  });

  it('shows the requested fields and the id', async () => {
    const { json } = await get(
      `/v1/${tenant.wabaId}/message_templates?name=beta&fields=name,status,quality_score{score}`,
    );
    assert.deepEqual(json.data, [
      { name: 'beta', status: 'APPROVED', quality_score: { score: 'UNKNOWN', date: 1_750_000_000 }, id: '5003' },
    ]);
    const nested = await get('/v24.0/5003?fields=status,components{type,buttons{type,text}}');
    assert.deepEqual(Object.keys(nested.json).sort(), ['components', 'id', 'status']);
  });

  it('treats empty parameters as absent', async () => {
    const path = `/v24.0/${tenant.wabaId}/message_templates`;
    const empty = 'fields=&limit=&after=&before=&status=&name=&summary=';
    assert.deepEqual((await get(`${path}?${empty}`)).json, (await get(path)).json);
    assert.deepEqual((await get(`/v1/templates?${empty}`)).json, (await get('/v1/templates')).json);
    assert.deepEqual((await get('/v24.0/5001?fields=')).json, (await get('/v24.0/5001')).json);
  });

  it('answers the same bytes for the list of a foreign account and an unknown one', async () => {
    const answers = await Promise.all([other.wabaId, '424242'].map((id) => get(`/v1/${id}/message_templates`)));
    for (const answer of answers) assertError(answer, 404, 'NOT_FOUND');
    assert.equal(new Set(answers.map(textWithoutRequestId)).size, 1);
  });

  it('describes every template route with examples', () => {
    const document = (
      gateway.app.http as unknown as { swagger(): { paths: Record<string, Record<string, unknown>> } }
    ).swagger();
    const described = Object.entries(document.paths).filter(([path]) => /templates/.test(path));
    assert.ok(described.length >= 4, String(described.length));
    for (const [path, operations] of described) {
      for (const [method, operation] of Object.entries(operations)) {
        const ok = (operation as { responses: Record<string, unknown> }).responses['200'];
        assert.match(JSON.stringify(ok), /"examples?":/, `${method} ${path}`);
      }
    }
  });
});
