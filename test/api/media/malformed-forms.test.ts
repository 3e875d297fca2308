import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { seededRandom } from '../../../src/core/seeded-random.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { encodeMultipart } from '../../harness/multipart.ts';
import { TEST_SEED } from '../../harness/seed.ts';
import { SAMPLES } from '../../support/media-samples.ts';

const GENERATED = 200;

interface Malformed {
  what: string;
  contentType: string;
  body: Buffer;
}

describe('malformed upload forms', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  it("are all answered with the spec's own errors", async () => {
    for (const { what, contentType, body } of handMade(tenant.phoneNumber)) {
      const { status, code } = await post(contentType, body);
      assert.equal(status, 400, `${what}: ${status} ${code}`);
      assert.ok(['MISSING_FILE', 'MISSING_PHONE_NUMBER', 'INVALID_MEDIA'].includes(code), `${what}: ${code}`);
    }
  });

  it(`never cause a 500, however broken (seed ${TEST_SEED})`, async () => {
    const random = seededRandom(TEST_SEED).next;
    for (let index = 0; index < GENERATED; index += 1) {
      const { what, contentType, body } = mutate(tenant.phoneNumber, random);
      const { status, code } = await post(contentType, body);
      const isPlain = [200, 400, 404].includes(status);
      assert.ok(isPlain, `seed ${TEST_SEED}, form ${index} (${what}): ${status} ${code}`);
    }
  });

  it('do not prevent the next good upload', async () => {
    const { status } = await post('multipart/form-data; boundary=test-boundary-7f3a', wellFormed(tenant.phoneNumber));
    assert.equal(status, 200);
  });

  /** Posts on a new connection with a true length: only the form is broken. */
  function post(contentType: string, body: Buffer): Promise<{ status: number; code: string }> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${tenant.apiKey}`,
        'content-type': contentType,
        'content-length': body.length,
      };
      const outgoing = request(`${gateway.baseUrl}/v1/media/upload`, { method: 'POST', headers, agent: false });
      outgoing.on('error', reject).on('response', (response) => {
        const chunks: Buffer[] = [];
        response
          .on('error', reject)
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            const { code = '' } = JSON.parse(Buffer.concat(chunks).toString()) as { code?: string };
            resolve({ status: response.statusCode ?? 0, code });
          });
      });
      outgoing.end(body);
    });
  }
});

function wellFormed(phoneNumber: string): Buffer {
  return encodeMultipart([
    { name: 'phone_number', value: phoneNumber },
    { name: 'file', value: SAMPLES['image/png'], fileName: 'a.png', contentType: 'image/png' },
  ]).body;
}

function handMade(phoneNumber: string): Malformed[] {
  const multipart = (boundary: string) => `multipart/form-data; boundary=${boundary}`;
  const part = (headers: string, value = 'x') => `--b\r\n${headers}\r\n\r\n${value}\r\n`;
  const named = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`;
  const number = part(named('phone_number'), phoneNumber);
  const cases: [what: string, contentType: string, body: string][] = [
    ['empty', multipart('b'), ''],
    ['no boundary', 'multipart/form-data', `${number}--b--`],
    ['empty boundary', multipart(''), `${number}--b--`],
    ['quoted empty boundary', multipart('""'), `${number}--b--`],
    ['over-long boundary', multipart('b'.repeat(1000)), `${number}--b--`],
    ['another boundary', multipart('c'), `${number}--b--`],
    ['only a preamble', multipart('b'), 'x'.repeat(100_000)],
    ['only an end', multipart('b'), '--b--'],
    ['truncated in the boundary', multipart('b'), '--'],
    ['truncated in the headers', multipart('b'), `${number}--b\r\nContent-Disp`],
    ['truncated in a value', multipart('b'), part(named('phone_number')).slice(0, -2)],
    ['truncated before the end', multipart('b'), number],
    ['truncated file', multipart('b'), `${number}--b\r\n${named('file', '; filename="a.png"')}\r\n\r\n\x89PNG`],
    ['headers without end', multipart('b'), `--b\r\nX: ${'x'.repeat(200_000)}`],
    ['header bomb', multipart('b'), part(`${'X: y\r\n'.repeat(10_000)}${named('file')}`)],
    ['no disposition', multipart('b'), `${part('Content-Type: image/png')}--b--`],
    ['no name', multipart('b'), `${part('Content-Disposition: form-data')}--b--`],
    ['attachment', multipart('b'), `${part('Content-Disposition: attachment; name="file"')}--b--`],
    ['unterminated quote', multipart('b'), `${part('Content-Disposition: form-data; name="file')}--b--`],
    ['header without colon', multipart('b'), `${part('x')}--b--`],
    ['control characters in a header', multipart('b'), `${part('\0: \x01')}--b--`],
    ['bare line feeds', multipart('b'), `${number}--b--`.replaceAll('\r\n', '\n')],
    ['base64 part', multipart('b'), `${part(`${named('file')}\r\nContent-Transfer-Encoding: base64`)}--b--`],
    ['too many parts', multipart('b'), `${part(named('x')).repeat(10_000)}--b--`],
    ['a field of a megabyte', multipart('b'), `${part(named('phone_number'), '1'.repeat(1_000_000))}--b--`],
    ['prototype fields', multipart('b'), `${part(named('__proto__'))}${part(named('constructor'))}--b--`],
    ['JSON fields', multipart('b'), `${part(`${named('file')}\r\nContent-Type: application/json`, '{')}--b--`],
    ['two files', multipart('b'), `${number}${part(named('file', '; filename="a"')).repeat(2)}--b--`],
    [
      'nested multipart',
      multipart('b'),
      `${part(`${named('file')}\r\nContent-Type: multipart/mixed; boundary=c`)}--b--`,
    ],
    ['urlencoded flood', 'application/x-www-form-urlencoded', 'a=1&'.repeat(100_000)],
    ['urlencoded long name', 'application/x-www-form-urlencoded', 'a'.repeat(100_000)],
    ['urlencoded NULs', 'application/x-www-form-urlencoded', 'phone_number=%00&file=%00'],
    ['urlencoded bad UTF-8', 'application/x-www-form-urlencoded', 'phone_number=%ff%fe&file=data:%ff'],
    ['urlencoded bad base64', 'application/x-www-form-urlencoded', 'phone_number=1&file=data:image/png;base64,%00%01'],
    ['no type at all', '', `${number}--b--`],
    ['a type that is none', ';;;', `${number}--b--`],
  ];
  return cases.map(([what, contentType, body]) => ({ what, contentType, body: Buffer.from(body, 'latin1') }));
}

/** Breaks a well-formed form in one to four random places. */
function mutate(phoneNumber: string, random: () => number): Malformed {
  let body = wellFormed(phoneNumber);
  let contentType = 'multipart/form-data; boundary=test-boundary-7f3a';
  const done: string[] = [];
  const at = () => Math.floor(random() * (body.length + 1));
  const mutations: Record<string, () => void> = {
    truncate: () => {
      body = body.subarray(0, at());
    },
    'cut out': () => {
      const start = at();
      body = Buffer.concat([body.subarray(0, start), body.subarray(start + Math.ceil(random() * 40))]);
    },
    repeat: () => {
      const start = at();
      body = Buffer.concat([body.subarray(0, start), body.subarray(Math.max(0, start - 60))]);
    },
    insert: () => {
      const pieces = [
        '\r\n',
        '\n',
        '--',
        '--test-boundary-7f3a',
        '\r\n--test-boundary-7f3a--',
        '"',
        ';',
        '\0',
        '=',
        ':',
      ];
      const piece = pieces[Math.floor(random() * pieces.length)] ?? '';
      const start = at();
      body = Buffer.concat([body.subarray(0, start), Buffer.from(piece), body.subarray(start)]);
    },
    'flip bytes': () => {
      body = Buffer.from(body);
      for (let flips = 0; flips < 5; flips += 1) body[Math.floor(random() * body.length)] = Math.floor(random() * 256);
    },
    'spoil the type': () => {
      const start = Math.floor(random() * contentType.length);
      contentType = contentType.slice(0, start) + contentType.slice(start + 1 + Math.floor(random() * 8));
    },
  };
  const names = Object.keys(mutations);
  for (let count = 1 + Math.floor(random() * 4); count > 0; count -= 1) {
    const name = names[Math.floor(random() * names.length)] ?? 'truncate';
    mutations[name]?.();
    done.push(name);
  }
  return { what: done.join(', '), contentType, body };
}
