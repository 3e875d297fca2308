import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { EDGES, PARAMETER_OF } from '../../../src/edges/table/edge-table.ts';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { TEST_SEED } from '../../harness/seed.ts';
import { type Answer, call, connectWaba, sendNow, type Tenant } from '../../harness/tenant.ts';

/** Attempts with foreign ids; a long run makes more: FOREIGN_ATTEMPTS=20000. */
const ATTEMPTS = Number(process.env.FOREIGN_ATTEMPTS ?? 2_400);
const AT_ONCE = 16;
const ABSENT = '999000999000123';
const ABSENT_GROUP = Buffer.from(`capi_group:70000000001:${ABSENT}`).toString('base64url');

/** Spellings of an id that must name nothing: tricks with paths, encodings and digits. */
const SPELLINGS: readonly ((id: string) => string)[] = [
  (id) => id,
  (id) => id,
  (id) => id,
  (id) => `${id}%2F`,
  (id) => `..%2f${id}`,
  (id) => `${id}%3Ffields=id`,
  (id) => `${id}%23`,
  (id) => `%20${id}`,
  (id) => `${id}%00`,
  (id) => `0${id}`,
  (id) =>
    [...id]
      .map((digit) => (/\d/.test(digit) ? encodeURIComponent(String.fromCodePoint(0xff10 + Number(digit))) : digit))
      .join(''),
  (id) => `${id}%0d%0aHost:%20x`,
];

/** Queries and bodies with which a client might reach beyond its own objects. */
const QUERIES = [
  '',
  '?access_token=EAAshared',
  '?method=delete',
  '?fields=id,name',
  '?ids=1,2',
  '?start=1&end=2&code_method=SMS',
];

describe('ids of another organization, over every edge and method, with one token for both accounts', () => {
  const gateway = useGateway();
  const theirs = useTenant(gateway);
  // Several, because the look-ups of unknown media ids have a limit for each organization.
  const callers = Array.from({ length: 16 }, () => useTenant(gateway));
  const [mine = theirs] = callers;
  /** Their ids, by kind of id, and texts of theirs that no answer may have. */
  const foreign: Record<string, string[]> = {};
  const planted = 'PLANTED-8c1f';

  before(async () => {
    for (const { organizationId, wabaId } of [...callers, theirs]) {
      gateway.simulator.world.rotateToken(wabaId, 'EAAshared');
      await connectWaba(gateway, organizationId, wabaId);
    }
    const ask = (method: string, path: string, body?: object) =>
      call(gateway, theirs, method, `/v1/${path}`, body === undefined ? {} : { body });
    const { phoneNumberId, wabaId } = theirs;
    await ask('POST', `${phoneNumberId}/whatsapp_business_profile`, { about: planted });
    const code = (await ask('POST', `${phoneNumberId}/message_qrdls`, { prefilled_message: planted })).json.code;
    const flow = (await ask('POST', `${wabaId}/flows`, { name: planted })).json.id;
    await ask('POST', `${phoneNumberId}/groups`, { subject: planted });
    const group = (await ask('GET', `${phoneNumberId}/groups`)).json.data.groups[0].id;
    const signup = (await ask('POST', `${wabaId}/signups`, { name: planted })).json.id;
    const { wamid } = await sendNow(gateway, theirs);
    const history = (await ask('GET', `${phoneNumberId}/message_history?message_id=${wamid}`)).json.data[0].id;
    const template = (await ask('GET', 'templates')).json.data[0].id;
    Object.assign(foreign, {
      number: [phoneNumberId],
      account: [wabaId],
      flow: [flow],
      group: [group],
      signup: [signup],
      template: [template],
      history: [history],
      code: [code],
    });
    for (const [kind, ids] of Object.entries(foreign)) for (const id of ids) assert.ok(id, kind);
  });

  const attempt = fc.record({
    edge: fc.constantFrom(...EDGES),
    kind: fc.constantFrom('number', 'account', 'flow', 'group', 'signup', 'template', 'history'),
    spelling: fc.constantFrom(...SPELLINGS),
    version: fc.constantFrom('/v1', '/v24.0', ''),
    query: fc.constantFrom(...QUERIES),
    hasBody: fc.boolean(),
  });

  it(`${ATTEMPTS} attempts: the bytes of an absent id, nothing of theirs, no change at the platform`, async () => {
    const samples = fc.sample(attempt, { numRuns: ATTEMPTS, seed: TEST_SEED });
    const covered = new Set<string>();
    const last = gateway.simulator.world.calls.list().at(-1)?.sequence ?? 0;
    const run = async ({ edge, kind, spelling, version, query, hasBody }: (typeof samples)[number], at: number) => {
      const caller = callers[at % callers.length] ?? mine;
      const id = foreign[kind]?.[0] ?? '';
      const absentId = kind === 'group' ? ABSENT_GROUP : ABSENT;
      const body = hasBody && edge.method !== 'GET' ? (edge.example.body ?? {}) : undefined;
      const ask = (as: Tenant, spelled: string): Promise<Answer> => {
        const rest = edge.path === '' ? '' : `/${edge.path.replace(':code', foreign.code?.[0] ?? '')}`;
        return call(
          gateway,
          as,
          edge.method,
          `${version}/${spelled}${rest}${query}`,
          body === undefined ? {} : { body },
        );
      };
      const [answer, absent] = [await ask(caller, spelling(id)), await ask(caller, spelling(absentId))];
      const place = `${edge.method} ${edge.of} ${edge.path} with ${kind} ${spelling(id)}${query}`;
      const plain = (one: Answer, own: string) =>
        `${one.status} ${textWithoutRequestId(one)}`.replaceAll(own, '…').replaceAll(decodeURIComponent(own), '…');
      assert.ok(answer.status >= 400, `${place}: ${answer.text}`);
      assert.equal(plain(answer, spelling(id)), plain(absent, spelling(absentId)), place);
      assert.ok(!answer.text.includes(planted) && !answer.text.includes('EAAshared'), place);
      covered.add(`${edge.method} ${edge.of} ${edge.path}`);
    };
    for (let at = 0; at < samples.length; at += AT_ONCE) {
      await Promise.all(samples.slice(at, at + AT_ONCE).map((sample, index) => run(sample, at + index)));
    }
    assert.equal(covered.size, EDGES.length);

    const calls = gateway.simulator.world.calls.list(last);
    assert.deepEqual(
      calls.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url}`),
      [],
    );
    const theirIds = Object.values(foreign).flat();
    // The gateway reads templates in review by itself, with fields that no attempt names.
    const asked = calls.map(({ url }) => url).filter((url) => !url.includes('correct_category'));
    assert.deepEqual(
      asked.filter((url) => url.split(/[/?&=,]/).some((part) => theirIds.includes(part))),
      [],
    );
  });

  it('foreign ids in bodies and queries: the bytes of an absent id', async () => {
    const [flow, template] = [foreign.flow?.[0] ?? '', foreign.template?.[0] ?? ''];
    const own = (await call(gateway, mine, 'GET', '/v1/templates')).json.data[0].id;
    const clone = (id: string, type = 'application/json') =>
      call(gateway, mine, 'POST', `/v1/${mine.wabaId}/flows`, {
        body: type === 'application/json' ? `{"name":"x","clone_flow_id":${id}}` : `name=x&clone_flow_id=${id}`,
        headers: { 'content-type': type },
      });
    const compare = (ids: string) =>
      call(gateway, mine, 'GET', `/v1/${own}/compare?template_ids=${encodeURIComponent(ids)}`);
    const figures = (id: string) =>
      call(gateway, mine, 'GET', `/v1/${mine.wabaId}/template_analytics?start=1&end=2&template_ids=[${id}]`);
    for (const [ask, id] of [
      [clone, flow],
      [(one: string) => clone(one, 'application/x-www-form-urlencoded'), flow],
      [compare, template],
      [(one: string) => compare(`[${own},${one}]`), template],
      [figures, template],
    ] as const) {
      const [answer, absent] = [await ask(id), await ask(ABSENT)];
      assert.equal(answer.status, 404, answer.text);
      assert.equal(textWithoutRequestId(answer), textWithoutRequestId(absent));
    }
    assert.equal((await compare(`[${own}]`)).status, 200);
  });

  it('a form whose fields the platform could read in another way: refused, no call', async () => {
    const theirFlow = foreign.flow?.[0] ?? '';
    const path = `/v1/${mine.wabaId}/flows`;
    const { id: own } = (await call(gateway, mine, 'POST', path, { body: { name: 'own' } })).json;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const last = gateway.simulator.world.calls.list().at(-1)?.sequence ?? 0;
    for (const fields of [
      `clone_flow_id=${own}&clone_flow_id=${theirFlow}`,
      `clone_flow_id=${own}&clone_flow_id[]=${theirFlow}`,
      `clone_flow_id%5B0%5D=${theirFlow}`,
      `clone.flow.id=${theirFlow}`,
      `clone+flow_id=${theirFlow}`,
      `clone[flow_id=${theirFlow}`,
      `clone_flow_id%00=${theirFlow}`,
      'access[token=EAAshared',
      'access_token%00x=EAAshared',
    ]) {
      const answer = await call(gateway, mine, 'POST', path, { body: `name=x&${fields}`, headers });
      assertError(answer, 400, 'VALIDATION_ERROR');
    }
    const json = await call(gateway, mine, 'POST', path, { body: { name: 'x', 'clone_flow_id[0]': theirFlow } });
    assertError(json, 400, 'VALIDATION_ERROR');
    assert.deepEqual(gateway.simulator.world.calls.list(last), []);
    const body = 'name=two&categories[]=OTHER&categories[]=SURVEY';
    assert.equal((await call(gateway, mine, 'POST', path, { body, headers })).status, 200);
  });

  it('the table: has a row for each kind, and a parameter for each of them', () => {
    assert.deepEqual([...new Set(EDGES.map(({ of }) => of))].sort(), Object.keys(PARAMETER_OF).sort());
  });
});
