import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { valuesIn } from '../../test/support/simulator/callback-receiver.ts';
import {
  APP_ID,
  startTestSimulator,
  type TestSimulator,
  TOKEN,
  template,
  WABA,
} from '../../test/support/simulator/test-simulator.ts';
import type { JsonObject } from './graph/json-object.ts';

const path = `/${WABA}/message_templates`;
const body = (textOf: string, example?: JsonObject): JsonObject => ({
  type: 'BODY',
  text: textOf,
  ...(example === undefined ? {} : { example }),
});

function create({ call }: TestSimulator, changes: JsonObject = {}) {
  return call('POST', path, {
    name: 'order_update',
    language: 'en_US',
    category: 'UTILITY',
    components: [body('Your order is on its way.')],
    ...changes,
  });
}

let created = 0;

/** Creates a template with these components. Returns the answer’s subcode (or code, or `ok`). */
async function verdict(sim: TestSimulator, components: JsonObject[], changes: JsonObject = {}): Promise<unknown> {
  created += 1;
  const name = `template_${created}`;
  const { status, error } = await create(sim, { name, components, ...changes });
  return status === 200 ? 'ok' : (error.error_subcode ?? error.code);
}

async function uploadSample({ call }: TestSimulator, type: string): Promise<string> {
  const start = await call('POST', `/${APP_ID}/uploads?file_length=5&file_type=${type}`);
  const headers = { authorization: `OAuth ${TOKEN}`, file_offset: '0' };
  return String((await call('POST', `/${String(start.body.id)}`, 'bytes', headers)).body.h);
}

test('created template: pending, then approved with a webhook', async (t) => {
  const sim = await startTestSimulator(t);
  const created = await create(sim);
  const id = String(created.body.id);
  assert.deepEqual(created.body, { id, status: 'PENDING', category: 'UTILITY' });
  await sim.world.whenQuiet();
  assert.deepEqual((await sim.call('GET', `/${id}?fields=status`)).body, { status: 'APPROVED', id });
  const { payload } = await sim.receiver.waitFor(({ isSigned }) => isSigned);
  assert.deepEqual(valuesIn(payload)[0], {
    event: 'APPROVED',
    message_template_id: Number(id),
    message_template_name: 'order_update',
    message_template_language: 'en-US',
    reason: 'NONE',
    message_template_category: 'UTILITY',
  });
  assert.equal(typeof (payload.entry as { time: unknown }[])[0]?.time, 'number');
  assert.equal((await sim.send(template('order_update'))).status, 200);
});

test('template name: chooses the verdict', async (t) => {
  const sim = await startTestSimulator(t);
  const statusAfterReview = async (name: string, components?: JsonObject[]) => {
    const { id } = (await create(sim, { name, ...(components === undefined ? {} : { components }) })).body;
    await sim.world.whenQuiet();
    return (await sim.call('GET', `/${String(id)}?fields=status`)).body.status;
  };
  assert.equal(await statusAfterReview('a_rejected'), 'REJECTED');
  assert.equal(await statusAfterReview('a_slow_one'), 'PENDING');
  assert.equal(await statusAfterReview('a_paused'), 'PAUSED');
  assert.equal(await statusAfterReview('a_disabled'), 'DISABLED');
  const touching = body('Dear {{1}}{{2}}, welcome.', { body_text: [['a', 'b']] });
  assert.equal(await statusAfterReview('touching', [touching]), 'REJECTED');
});

test('malformed text: each refused with its own subcode', async (t) => {
  const sim = await startTestSimulator(t);
  const sample = { body_text: [['a']] };
  const cases: [unknown, JsonObject[], JsonObject?][] = [
    ['ok', [body('Hello {{1}}, welcome.', sample)]],
    ['ok', [body('Hello {{1}}, welcome.', { body_text: ['a'] })]],
    ['ok', [body('Hello {{1}}, welcome.', { body_text: 'a' })]],
    [2388043, [{ type: 'HEADER', format: 'TEXT', text: 'No body' }]],
    [2388043, [body('Hello {{1}}, welcome.')]],
    [2388043, [body('Hello {{1}} and {{2}}, welcome.', sample)]],
    [2388299, [body('{{1}} welcome', sample)]],
    [2388299, [body('Welcome {{1}}', sample)]],
    [2388072, [body('Hello {{2}}, welcome.', sample)]],
    [2388072, [body('Hello {{name}}, welcome.', sample)]],
    [2388072, [body('Hello\n\n\nthere.')]],
    [2388072, [body(`Hello ${'👍'.repeat(11)}`)]],
    [2388293, [body('Hi {{1}} {{2}} {{3}} !', { body_text: [['a', 'b', 'c']] })]],
    [2388040, [body('x'.repeat(1025))]],
    ['ok', [body('👍 and '.padEnd(1023, 'x'))]],
    [2388040, [body('Hello.'), { type: 'FOOTER', text: 'x'.repeat(61) }]],
    [2388073, [body('Hello.'), { type: 'FOOTER', text: 'Bye {{1}}.' }]],
    [2388047, [body('Hello.'), { type: 'HEADER', format: 'TEXT', text: '{{1}} and {{2}} so' }]],
    [2388043, [body('Hello.'), { type: 'HEADER', format: 'TEXT', text: 'For {{1}}' }]],
    [2388047, [body('Hello.'), { type: 'HEADER', format: 'HOLOGRAM' }]],
    [100, [body('Hello.'), body('Hello.')]],
    [100, [body('Hello.'), { type: 'SOUNDTRACK' }]],
  ];
  for (const [expected, components] of cases) {
    assert.equal(await verdict(sim, components), expected, JSON.stringify(components).slice(0, 120));
  }
  const named = body('Hello {{first_name}}, welcome.', {
    body_text_named_params: [{ param_name: 'first_name', example: 'Ada' }],
  });
  assert.equal(await verdict(sim, [named], { parameter_format: 'NAMED' }), 'ok');
  assert.equal(await verdict(sim, [body('Hello {{First}}, welcome.')], { parameter_format: 'named' }), 2388072);
});

test('malformed head: each refused', async (t) => {
  const sim = await startTestSimulator(t);
  const refusal = async (changes: JsonObject) => {
    const { status, error } = await create(sim, changes);
    return [status, error.code, error.error_subcode];
  };
  assert.deepEqual(await refusal({ name: 'Order Update' }), [400, 100, 2388046]);
  assert.deepEqual(await refusal({ name: 'x'.repeat(513) }), [400, 100, 2388046]);
  for (const changes of [
    { name: undefined },
    { language: undefined },
    { language: 'en-US' },
    { language: 'tlh' },
    { category: 'SPAM' },
    { components: undefined },
    { components: 'BODY' },
    { parameter_format: 'ROMAN' },
    { message_send_ttl_seconds: 5 },
  ]) {
    assert.deepEqual(await refusal(changes), [400, 100, undefined], JSON.stringify(changes));
  }
  const { error } = await create(sim, { name: 'No' });
  assert.deepEqual(error.error_data, { blame_field_specs: [['name']] });
  assert.equal(error.error_user_title, 'Name Format is Incorrect');
  assert.equal(error.is_transient, false);
});

test('name and language: exist once, with one category over all languages', async (t) => {
  const sim = await startTestSimulator(t);
  assert.equal((await create(sim)).status, 200);
  assert.equal((await create(sim)).error.error_subcode, 2388024);
  assert.equal((await create(sim, { language: 'de' })).status, 200);
  const other = await create(sim, { language: 'fr', category: 'MARKETING' });
  assert.deepEqual([other.status, other.error.code, other.error.error_subcode], [400, 100, undefined]);
});

test('buttons: checked for number, order, labels and samples', async (t) => {
  const sim = await startTestSimulator(t);
  const reply = { type: 'QUICK_REPLY', text: 'Yes' };
  const url = { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}', example: ['abc'] };
  const phone = { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100' };
  const cases: [unknown, JsonObject[]][] = [
    ['ok', [reply, reply, url]],
    ['ok', [url, phone, reply]],
    [2388044, [reply, url, reply]],
    [2388044, []],
    [2388044, Array.from({ length: 11 }, () => reply)],
    [2388044, [url, url, url]],
    [2388044, [phone, phone]],
    [2388043, [{ type: 'QUICK_REPLY' }]],
    [2388040, [{ type: 'QUICK_REPLY', text: 'x'.repeat(26) }]],
    [2388043, [{ ...url, example: undefined }]],
    [2388044, [{ ...url, url: 'https://example.com/{{1}}/x' }]],
    [2388044, [{ ...url, url: 'ftp://example.com' }]],
    [2388043, [{ type: 'COPY_CODE' }]],
    ['ok', [{ type: 'COPY_CODE', example: 'SAVE20' }]],
    [2388044, [{ type: 'OTP', otp_type: 'COPY_CODE' }]],
    [2388044, [{ type: 'FLOW', text: 'Go' }]],
    ['ok', [{ type: 'FLOW', text: 'Go', flow_id: '1' }]],
    [2388044, [{ type: 'TELEPORT', text: 'Go' }]],
  ];
  for (const [expected, buttons] of cases) {
    const components = [body('Hello there.'), { type: 'BUTTONS', buttons }];
    assert.equal(await verdict(sim, components), expected, JSON.stringify(buttons).slice(0, 120));
  }
});

test('authentication template: preset body and an OTP button', async (t) => {
  const sim = await startTestSimulator(t);
  const auth = { category: 'AUTHENTICATION', message_send_ttl_seconds: 60 };
  const otp = (button: JsonObject) => ({ type: 'BUTTONS', buttons: [{ type: 'OTP', ...button }] });
  const preset = { type: 'body', add_security_recommendation: true };
  const app = { package_name: 'com.example', signature_hash: 'K8a/AINcGX7' };
  assert.equal(await verdict(sim, [preset, otp({ otp_type: 'COPY_CODE' })], auth), 'ok');
  assert.equal(await verdict(sim, [preset, otp({ otp_type: 'ONE_TAP', supported_apps: [app] })], auth), 'ok');
  assert.equal(await verdict(sim, [preset, otp({ otp_type: 'ONE_TAP' })], auth), 2388044);
  assert.equal(await verdict(sim, [preset, otp({ otp_type: 'ZERO_TAP', supported_apps: [app] })], auth), 2388044);
  assert.equal(await verdict(sim, [preset], auth), 2388043);
  assert.equal(await verdict(sim, [body('Code {{1}} for you'), otp({ otp_type: 'COPY_CODE' })], auth), 2388072);
  const { id } = (await create(sim, { ...auth, components: [preset, otp({ otp_type: 'COPY_CODE' })] })).body;
  const shown = (await sim.call('GET', `/${String(id)}`)).body.components as JsonObject[];
  assert.equal((shown[1]?.buttons as JsonObject[] | undefined)?.[0]?.type, 'URL');
});

test('media header: needs the handle of an uploaded file of its kind', async (t) => {
  const sim = await startTestSimulator(t);
  const image = await uploadSample(sim, 'image/png');
  const header = (format: string, handle?: string): JsonObject => ({
    type: 'HEADER',
    format,
    ...(handle === undefined ? {} : { example: { header_handle: [handle] } }),
  });
  assert.equal(await verdict(sim, [header('IMAGE', image), body('Hello.')]), 'ok');
  assert.equal(await verdict(sim, [header('VIDEO', image), body('Hello.')]), 2388273);
  assert.equal(await verdict(sim, [header('IMAGE', 'https://example.com/a.png'), body('Hello.')]), 2388273);
  assert.equal(await verdict(sim, [header('IMAGE', '4::unknown'), body('Hello.')]), 2388273);
  assert.equal(await verdict(sim, [header('IMAGE'), body('Hello.')]), 2388043);
});

test('handles: shown as CDN URLs, also in carousel cards', async (t) => {
  const sim = await startTestSimulator(t);
  const handle = await uploadSample(sim, 'image/png');
  const card = {
    components: [
      { type: 'header', format: 'image', example: { header_handle: [handle] } },
      { type: 'body', text: 'A card' },
      { type: 'buttons', buttons: [{ type: 'quick_reply', text: 'This one' }] },
    ],
  };
  const carousel = { type: 'carousel', cards: [card, card] };
  const created = await create(sim, { category: 'marketing', components: [body('Offers for you.'), carousel] });
  assert.equal(created.status, 200, created.text);
  const node = await sim.call('GET', `/${String(created.body.id)}`);
  assert.ok(!node.text.includes(handle));
  assert.equal(node.text.match(/"header_handle":\["http:\/\/127\.0\.0\.1:\d+\/_cdn\//g)?.length, 2);
  const one = { type: 'CAROUSEL', cards: [card] };
  assert.equal(await verdict(sim, [body('Offers for you.'), one], { category: 'MARKETING' }), 100);
});

test('limited-time offer: has its own rules', async (t) => {
  const sim = await startTestSimulator(t);
  const offer = { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Expires soon', has_expiration: true } };
  const copy = { type: 'COPY_CODE', example: 'SAVE20' };
  const url = { type: 'URL', text: 'Shop', url: 'https://example.com' };
  const marketing = { category: 'MARKETING' };
  const buttons = { type: 'BUTTONS', buttons: [copy, url] };
  assert.equal(await verdict(sim, [body('Buy now.'), offer, buttons], marketing), 'ok');
  assert.equal(await verdict(sim, [body('Buy now.'), offer, buttons]), 100);
  const reversed = { type: 'BUTTONS', buttons: [url, copy] };
  assert.equal(await verdict(sim, [body('Buy now.'), offer, reversed], marketing), 2388044);
  assert.equal(await verdict(sim, [body('Buy now.'), offer, { type: 'FOOTER', text: 'Bye' }], marketing), 2388073);
  assert.equal(await verdict(sim, [body('x'.repeat(601)), offer], marketing), 2388040);
});

test('account: reports the template limit that it enforces', async (t) => {
  const sim = await startTestSimulator(t);
  const waba = { id: '102000000000003', accessToken: TOKEN, attributes: { message_template_limit: 250 } };
  sim.world.addWaba(waba);
  const listed = await sim.call('GET', `/${waba.id}/message_templates?summary=message_template_limit`);
  assert.deepEqual(listed.body.summary, { message_template_limit: 250 });
});

test('list: filters, selects fields and pages', async (t) => {
  const sim = await startTestSimulator(t);
  for (let index = 0; index < 30; index += 1) {
    sim.world.addTemplate(WABA, { name: `n_${index}`, language: 'de', status: index % 2 ? 'REJECTED' : 'APPROVED' });
  }
  const list = async (query: string) => (await sim.call('GET', `${path}?${query}`)).body;
  assert.equal(((await list('')).data as unknown[]).length, 25);
  assert.equal(((await list('limit=100')).data as unknown[]).length, 31);
  assert.equal(((await list('status=rejected&limit=100')).data as unknown[]).length, 15);
  assert.deepEqual((await list('name=hello&fields=name,status')).data, [
    {
      name: 'hello',
      status: 'APPROVED',
      id: sim.world.accounts.findTemplateByName(WABA, 'hello', 'en_US')?.id,
    },
  ]);
  const first = await list('limit=20');
  const counted = await list('limit=1&status=rejected&summary=message_template_limit, total_count');
  assert.deepEqual(counted.summary, { message_template_limit: 6_000, total_count: 31 });
  assert.equal((await sim.call('GET', `${path}?summary=constructor`)).error.code, 100);
  const { cursors, next } = first.paging as { cursors: { after: string }; next: string };
  const second = await list(`limit=20&after=${cursors.after}`);
  assert.equal((second.data as unknown[]).length, 11);
  assert.equal((second.paging as JsonObject).next, undefined);
  assert.match(next, /after=/);
});

test('edit: back to review, only from a settled status', async (t) => {
  const clock = createManualClock();
  const sim = await startTestSimulator(t, { clock });
  const { id } = (await create(sim)).body;
  const edit = (change: JsonObject) => sim.call('POST', `/${String(id)}`, change);
  const status = async () => (await sim.call('GET', `/${String(id)}`)).body.status;
  assert.equal((await edit({ components: [body('Too early.')] })).error.error_subcode, 2388039);
  clock.advance(1);
  assert.equal(await status(), 'APPROVED');
  assert.equal((await edit({ category: 'MARKETING' })).status, 400);
  const edited = await edit({ components: [body('New text.')] });
  assert.deepEqual(edited.body, { success: true, id, name: 'order_update', category: 'UTILITY' });
  assert.equal(await status(), 'PENDING');
  clock.advance(1);
  assert.equal(await status(), 'APPROVED');
});

test('changed status, quality or category → webhook', async (t) => {
  const { world, receiver } = await startTestSimulator(t);
  const id = world.accounts.findTemplateByName(WABA, 'hello', 'en_US')?.id ?? '';
  await world.setTemplateStatus(id, { status: 'PAUSED' });
  await world.setTemplateQuality(id, 'RED');
  await world.setTemplateCategory(id, 'MARKETING');
  const values = receiver.received.map(({ payload }) => valuesIn(payload)[0]);
  assert.equal(values[0]?.event, 'PAUSED');
  assert.deepEqual([values[1]?.previous_quality_score, values[1]?.new_quality_score], ['UNKNOWN', 'RED']);
  assert.deepEqual([values[2]?.previous_category, values[2]?.new_category], ['UTILITY', 'MARKETING']);
});

test('library template: approved immediately', async (t) => {
  const sim = await startTestSimulator(t);
  const { body: answer } = await create(sim, { library_template_name: 'delivery_1', components: undefined });
  assert.equal(answer.status, 'APPROVED');
});
