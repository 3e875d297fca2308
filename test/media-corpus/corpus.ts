import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { encodeMultipart, type Part } from '../harness/multipart.ts';
import { call } from '../harness/tenant.ts';
import { type Expectation, type Expected, FILES, MADE } from './expectations.ts';

/** Uploads a file of each kind, made by third-party tools, with every declaration of its kind: `npm run media-corpus`. */
describe('files as tools make them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'media-corpus-'));
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  before(() => {
    execFileSync(join(import.meta.dirname, 'make.sh'), [folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  });
  after(() => rmSync(folder, { recursive: true }));

  async function check(file: Omit<Part, 'name'>, expected: Expected, way: string): Promise<void> {
    const form = encodeMultipart([
      { name: 'phone_number', value: tenant.phoneNumber },
      { name: 'file', ...file },
    ]);
    const { status, json, text } = await call(gateway, tenant, 'POST', '/v1/media/upload', form);
    if (typeof expected === 'string') {
      assert.deepEqual([status, json.mime_type], [200, expected], `${way}: ${text}`);
    } else {
      assert.deepEqual([status, json.code], [400, 'INVALID_MEDIA'], `${way}: ${text}`);
      assert.match(json.message, expected, way);
    }
  }

  async function checkAll(fileName: string, value: Buffer, expectation: Expectation): Promise<void> {
    const { alone, named = alone, declared } = expectation;
    const nameless = { value, fileName: 'blob' };
    await check(nameless, alone, 'undeclared, no name');
    await check({ ...nameless, contentType: 'application/octet-stream' }, alone, 'octet-stream, no name');
    await check({ value, fileName }, named, 'undeclared, by name');
    await check({ value, fileName: fileName.toUpperCase() }, named, 'undeclared, by name in capitals');
    await check({ value, fileName, contentType: 'application/octet-stream' }, named, 'octet-stream, by name');
    await check({ value: `data:;base64,${value.toString('base64')}` }, alone, 'data URI without a type');
    for (const [contentType, expected] of Object.entries(declared)) {
      await check(
        { ...nameless, contentType },
        expectedWithoutName(contentType, expectation),
        `${contentType}, no name`,
      );
      await check({ value, fileName: `A.B${extname(fileName)}`, contentType }, expected, `${contentType}, named`);
      const uri = `data:${contentType};base64,${value.toString('base64')}`;
      if (!contentType.includes('*'))
        await check({ value: uri }, expectedWithoutName(contentType, expectation), `data URI of ${contentType}`);
    }
  }

  it('every file made is in the table, and every file of the table was made', () => {
    const made = readdirSync(folder).sort();
    assert.deepEqual(made, Object.keys(FILES).sort());
  });

  for (const [fileName, expectation] of Object.entries(FILES)) {
    it(fileName, () => checkAll(fileName, readFileSync(join(folder, fileName)), expectation));
  }
  for (const [fileName, { contents, ...expectation }] of Object.entries(MADE)) {
    it(fileName, () => checkAll(fileName, contents, expectation));
  }
});

/** Without a name, the contents decide within a declared family. */
function expectedWithoutName(contentType: string, { alone, declared, declaredAlone }: Expectation): Expected {
  return contentType.endsWith('/*') ? alone : (declaredAlone?.[contentType] ?? declared[contentType] ?? alone);
}
