import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { type FileServer, SAMPLE_FILES } from '../../harness/file-server.ts';
import { useFileServer, useGateway } from '../../harness/fixtures.ts';
import { type Answer, call, createTenant, type Tenant } from '../../harness/tenant.ts';
import { captureCreates } from './capture-creates.ts';
import { freshName, TEMPLATES } from './template-bodies.ts';

const MIB = 1024 * 1024;

describe('sample media given as URLs', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.1/32'] });
  const files = useFileServer();
  let tenant: Tenant;
  beforeEach(async () => {
    // A new tenant for each test, because the fetches per minute are counted per organization.
    tenant = await createTenant(gateway);
    files.requests.length = 0;
  });

  const template = (format: string, handles: unknown) => ({
    ...TEMPLATES.positional,
    name: freshName(),
    components: [
      { type: 'HEADER', format, example: { header_handle: handles } },
      { type: 'BODY', text: 'Here it is, as we promised.' },
    ],
  });
  const create = (body: unknown): Promise<Answer> =>
    call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/templates`, { body });
  const assertRefused = (answer: Answer, reason: RegExp) => {
    assertError(answer, 422, 'PROVIDER_REJECTED', 100);
    const { provider_error } = answer.json;
    assert.equal(provider_error.code, 100);
    assert.ok(provider_error.error_user_title.length > 0);
    assert.match(provider_error.error_user_msg, reason);
    assert.match(provider_error.error_user_msg, /components\[0\]\.example\.header_handle\[0\]/);
  };

  it('fetches a file whose URL has a long signature', async () => {
    const url = files.serve(`/signed.png?X-Amz-Security-Token=${'IQoJb3Jp'.repeat(500)}`, { body: SAMPLE_FILES.png });
    const answer = await create(template('IMAGE', [url]));
    assert.equal(answer.status, 200, answer.text);
  });

  for (const [format, file] of [
    ['IMAGE', 'jpeg'],
    ['IMAGE', 'png'],
    ['VIDEO', 'mp4'],
    ['DOCUMENT', 'pdf'],
  ] as const) {
    it(`fetches a ${file} for a header ${format} without credentials, and inserts its handle`, async () => {
      using creates = captureCreates();
      const url = files.serve(`/${file}?q=1`, { body: SAMPLE_FILES[file] });
      const body = template(format, [url]);
      const answer = await create(body);
      assert.equal(answer.status, 200, answer.text);
      const [sent = ''] = creates.bodies;
      const handle = JSON.parse(sent).components[0].example.header_handle[0];
      assert.match(handle, /^4::/);
      assert.equal(sent, JSON.stringify(body).replace(JSON.stringify(url), JSON.stringify(handle)));
      const [asked] = files.requests;
      assert.equal(asked?.headers.authorization, undefined);
      assert.equal(asked?.headers.cookie, undefined);
      const record = await call(gateway, tenant, 'GET', `/v1/templates/${answer.json.id}`);
      assert.deepEqual(record.json.components, body.components, 'the record shows what was sent');
    });
  }

  it('replaces the samples of carousel cards, each URL once, and keeps handles', async () => {
    using creates = captureCreates();
    const [one, two] = ['/card-1', '/card-2'].map((path) => files.serve(path, { body: SAMPLE_FILES.jpeg }));
    const card = (url: unknown) => ({
      components: [
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: [url] } },
        { type: 'BODY', text: 'Baked this morning.' },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'More' }] },
      ],
    });
    const carousel = {
      ...TEMPLATES.mediaCarousel,
      name: freshName(),
      components: [
        { type: 'BODY', text: 'Fresh from the oven.' },
        { type: 'CAROUSEL', cards: [card(one), card(two), card(one)] },
      ],
    };
    const answer = await create(carousel);
    assert.equal(answer.status, 200, answer.text);
    const handles = JSON.parse(creates.bodies[0] ?? '').components[1].cards.map(
      (sent: { components: { example: { header_handle: string[] } }[] }) =>
        sent.components[0]?.example.header_handle[0],
    );
    assert.equal(handles[0], handles[2]);
    assert.notEqual(handles[0], handles[1]);
    assert.equal(files.requests.length, 2);
    const again = await create({
      ...carousel,
      name: freshName(),
      components: [carousel.components[0], { type: 'CAROUSEL', cards: handles.map(card) }],
    });
    assert.equal(again.status, 200, again.text);
    assert.equal(files.requests.length, 2, 'handles are not fetched');
  });

  it('follows redirects to allowed addresses', async () => {
    const target = files.serve('/there', { body: SAMPLE_FILES.png });
    const url = files.serve('/moved', { status: 302, headers: { location: target } });
    const answer = await create(template('IMAGE', [url]));
    assert.equal(answer.status, 200, answer.text);
  });

  const files422: [what: string, reason: RegExp, format: string, file: Parameters<FileServer['serve']>[1]][] = [
    ['is not there', /did not answer with the file/, 'IMAGE', { status: 404, body: 'secret-of-the-intranet' }],
    ['is an error page', /did not answer with the file/, 'IMAGE', { status: 500, body: SAMPLE_FILES.jpeg }],
    ['is empty', /empty/, 'IMAGE', {}],
    [
      'is declared as a page',
      /not of a type/,
      'IMAGE',
      { headers: { 'content-type': 'text/html' }, body: SAMPLE_FILES.jpeg },
    ],
    ['is of another type than the header', /not of a type/, 'IMAGE', { body: SAMPLE_FILES.pdf }],
    ['is of no known type', /not of a type/, 'DOCUMENT', { body: 'secret-of-the-intranet' }],
    ['is compressed', /not of a type/, 'IMAGE', { headers: { 'content-encoding': 'gzip' }, body: SAMPLE_FILES.jpeg }],
    [
      'is too large for an image',
      /too large/,
      'IMAGE',
      { body: Buffer.concat([SAMPLE_FILES.jpeg, Buffer.alloc(5 * MIB)]) },
    ],
    ['redirects in a circle', /redirects/, 'IMAGE', { status: 302, headers: { location: '/circle' } }],
    [
      'redirects to a closed address',
      /not open/,
      'IMAGE',
      { status: 302, headers: { location: 'http://169.254.169.254/latest' } },
    ],
    [
      'redirects to a local file',
      /not an absolute/,
      'IMAGE',
      { status: 302, headers: { location: 'file:///etc/passwd' } },
    ],
  ];
  for (const [index, [what, reason, format, file]] of files422.entries()) {
    it(`answers 422 in the gateway's words if a sample ${what}`, async () => {
      using creates = captureCreates();
      const url = files.serve(what.includes('circle') ? '/circle' : `/refused-${index}`, file);
      const answer = await create(template(format, [url]));
      assertRefused(answer, reason);
      assert.doesNotMatch(answer.text, /secret|passwd|127\.0\.0\.1/);
      assert.deepEqual(creates.bodies, []);
    });
  }

  for (const value of [
    '/etc/passwd',
    '//host/x',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'ftp://h/x',
    'a b',
    'http://u:p@h.example/x',
    'http://',
    ' https://h.example/x',
    '4::a\n4::b',
  ]) {
    it(`answers 422 for a sample that cannot be a URL: ${JSON.stringify(value)}`, async () => {
      assertRefused(await create(template('IMAGE', [value])), /not an absolute/);
    });
  }

  it('fetches nothing if one of the samples is refused beforehand', async () => {
    const good = files.serve('/good', { body: SAMPLE_FILES.jpeg });
    assertError(await create(template('IMAGE', [good, 'http://[::1]/x'])), 422, 'PROVIDER_REJECTED');
    assert.equal(files.requests.length, 0);
  });

  it('answers 500 if the upstream is unavailable for the file, 422 if it refuses it', async () => {
    const url = files.serve('/fine', { body: SAMPLE_FILES.jpeg });
    const fault = (code: number) =>
      gateway.simulator.world.addFault({ fault: { kind: 'error', code }, scope: { endpoint: 'uploads' }, times: 1 });
    fault(2);
    assertError(await create(template('IMAGE', [url])), 500, 'INTERNAL_ERROR');
    fault(100);
    assertError(await create(template('IMAGE', [url])), 422, 'PROVIDER_REJECTED', 100);
  });

  it('fetches at most sixty files a minute per organization, then answers 429 with Retry-After', async () => {
    const urls = Array.from({ length: 20 }, (_, index) => files.serve(`/many-${index}`, { body: SAMPLE_FILES.jpeg }));
    for (let round = 0; round < 3; round += 1) await create(template('IMAGE', urls));
    const answer = await create(template('IMAGE', urls));
    assertError(answer, 429, 'RATE_LIMITED');
    const seconds = Number(answer.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
    assert.equal(files.requests.length, 60);
  });

  it('replaces the samples of an edit, too', async () => {
    const url = files.serve('/edit', { body: SAMPLE_FILES.png });
    const created = await create(template('IMAGE', [url]));
    await gateway.simulator.world.whenQuiet();
    const { components } = template('IMAGE', [url]);
    const edited = await call(gateway, tenant, 'POST', `/v1/templates/${created.json.id}`, { body: { components } });
    assert.equal(edited.status, 200, edited.text);
    assert.equal(files.requests.length, 2);
  });
});
