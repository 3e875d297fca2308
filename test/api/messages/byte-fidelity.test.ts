import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { freshRecipient, send, sendsTo, writtenRecipient } from '../../harness/tenant.ts';

/** Texts that JSON writers tend to change. */
const FRAGMENTS: Record<string, string> = {
  'an integer beyond 2^53': '12345678901234567890',
  'a decimal zero': '1.0',
  'an exponent': '1E+2',
  'minus zero': '-0',
  'a tiny number': '5e-324000',
  'many digits': '0.1000000000000000055511151231257827021181583404541015625',
  'an escaped letter': '"\\u00e9"',
  'a letter as it is': '"é"',
  'an escaped slash': '"\\/"',
  'a surrogate pair, escaped': '"\\ud83d\\ude00"',
  'a lone surrogate, escaped': '"\\ud800"',
  'an escaped NUL': '"a\\u0000b"',
  'line separators': '"\u2028\u2029"',
  'keys in their order, and numeric ones': '{"b":1,"a":2,"10":3,"9":4}',
  'a key twice where nobody looks': '{"x":1,"x":2}',
  'prototype names': '{"__proto__":{"a":1},"constructor":null}',
  'white space of every kind': '[ 1 ,\t2,\r\n 3 ]',
  'empty things': '[{},[],"",null]',
  'nesting 63 deep': '['.repeat(63) + ']'.repeat(63),
};

describe('the bytes of a send', () => {
  const gateway = useGateway({ simulator: { limits: 'off' } });
  const tenant = useTenant(gateway, { number: { throughputLevel: 'HIGH' } });

  /** Sends the text and returns the body that arrived upstream for its recipient. */
  const forwarded = async (to: string, text: string) => {
    const answer = await send(gateway, tenant, text);
    assert.equal(answer.status, 202, `${answer.text}\n${text}`);
    const record = await gateway.simulator.world.sends.waitFor((sent) => sent.waId === to.slice(1));
    return String(record.body);
  };

  for (const [name, fragment] of Object.entries(FRAGMENTS)) {
    it(`reach the upstream unchanged: ${name}`, async () => {
      const to = freshRecipient();
      const text = `{"messaging_product":"whatsapp","extra":${fragment},"to":"${to}","type":"template","template":{"name":"spring_sale","language":{"code":"en_US"},"x":${fragment}}}`;
      // The gateway parses the root, so the root uses one level of nesting and the template another.
      const fitting = name.startsWith('nesting') ? text.replace(`,"x":${fragment}`, '') : text;
      assert.equal(await forwarded(to, fitting), fitting);
    });
  }

  it('reach the upstream unchanged: text outside ASCII, sent as UTF-8', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const text = `{"messaging_product":"whatsapp","to":"${to}","type":"text","text":{"body":"Grüße, 你好, 👋🏽, \u0301, \u200f"}}`;
    assert.equal(await forwarded(to, text), text);
  });

  it('reach the upstream with their final line break', async () => {
    const to = freshRecipient();
    const text = `\r\n\t{"messaging_product":"whatsapp","to":"${to}","type":"template","template":{"name":"spring_sale","language":{"code":"en_US"}}}\n\n`;
    assert.equal(await forwarded(to, text), text);
  });

  it('reach the upstream as content of the declared length and type', async () => {
    const to = freshRecipient();
    const text = `{"to":"${to}","type":"template","template":{"name":"spring_sale"},"é":"é"}`;
    await forwarded(to, text);
    const [record] = sendsTo(gateway, to);
    assert.equal(record?.headers['content-type'], 'application/json');
    assert.equal(Number(record?.headers['content-length']), record?.bodyBytes);
  });

  it('differ by the two insertions only, for any body', async () => {
    const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
    const scalar = fc.oneof(
      fc.constantFrom(...Object.values(FRAGMENTS).filter((text) => text.length < 60)),
      fc.json({ maxDepth: 2 }),
      fc.string({ unit: 'binary', maxLength: 12 }).map((text) => JSON.stringify(text)),
    );
    const extras = fc.uniqueArray(fc.tuple(fc.stringMatching(/^x_[a-z0-9]{1,8}$/), scalar), {
      selector: ([key]) => key,
      maxLength: 4,
    });
    const shape = fc.record({
      extras,
      templateExtras: extras,
      product: fc.boolean(),
      language: fc.constantFrom('{"code":"en_US"}', '{ "policy":"deterministic","code" : "en_US" }', undefined),
      rotation: fc.nat(12),
      space,
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ extras, templateExtras, product, language, rotation, space: gap }) => {
        const to = freshRecipient();
        const members = (entries: [string, string][]) =>
          entries.map(([key, value]) => `${gap}"${key}"${gap}:${gap}${value}`).join(`${gap},`);
        const rotated = <T>(list: T[]) => [
          ...list.slice(rotation % list.length),
          ...list.slice(0, rotation % list.length),
        ];
        const template = `{${members(rotated([['name', '"spring_sale"'], ...(language === undefined ? [] : [['language', language] as [string, string]]), ...templateExtras]))}}`;
        const text = `${gap}{${members(
          rotated([
            ['to', JSON.stringify(to)],
            ['type', '"template"'],
            ['template', template],
            ...(product ? [['messaging_product', '"whatsapp"'] as [string, string]] : []),
            ...extras,
          ]),
        )}}${gap}`;
        const spliced =
          language === undefined
            ? text.replace(template, () => `{"language":{"code":"en_US"},${template.slice(1)}`)
            : text;
        const expected = product ? spliced : spliced.replace('{', '{"messaging_product":"whatsapp",');
        assert.equal(await forwarded(to, text), expected);
      }),
      { numRuns: 150 },
    );
  });
});
