import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { codeSamples, type SampleRequest } from './code-samples.ts';

const AWKWARD = { text: `it's "quoted" \\ $HOME`, list: [1, true, null], empty: {}, nested: { a: ['b'] } };

function sample(language: string, request: Partial<SampleRequest>): string {
  const samples = codeSamples({ method: 'POST', path: '/v1/things', credential: 'FAIRWAY_KEY', ...request });
  return samples.find((one) => one.language === language)?.code ?? '';
}

test('a curl example: body with quotes and a dollar sign → the shell passes it on unchanged', () => {
  const script = `curl() { for last; do :; done; printf %s "$last"; }\n${sample('sh', { json: AWKWARD })}`;
  assert.deepEqual(JSON.parse(execFileSync('sh', ['-c', script], { encoding: 'utf8' })), AWKWARD);
});

test('a curl example: names the method only if curl would choose another', () => {
  assert.doesNotMatch(sample('sh', { json: {} }), /-X/);
  assert.match(sample('sh', {}), /^curl -X POST "/);
  assert.match(sample('sh', { method: 'DELETE' }), /^curl -X DELETE "/);
  assert.doesNotMatch(sample('sh', { method: 'GET' }), /-X/);
});

test('a TypeScript example: the body in it is the body given', () => {
  const [, body = ''] = /body: (JSON\.stringify\([\s\S]*\)),\n\}/.exec(sample('ts', { json: AWKWARD })) ?? [];
  assert.deepEqual(JSON.parse(new Function(`return ${body}`)()), AWKWARD);
});

test('Python and PHP examples: literals in the notation of the language', () => {
  const json = { yes: true, none: null, text: "it's" };
  assert.match(
    sample('python', { json }),
    /json=\{\n {8}"yes": True,\n {8}"none": None,\n {8}"text": "it's",\n {4}\},/,
  );
  assert.match(sample('php', { json }), /'yes' => true,\n\s+'none' => null,\n\s+'text' => 'it\\'s',/);
});

test('an operation without a key: no example names one', () => {
  for (const { code } of codeSamples({ method: 'GET', path: '/healthz', credential: null })) {
    assert.doesNotMatch(code, /authorization/i);
  }
});
