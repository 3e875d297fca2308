import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rewriteLinks } from './rewrite-links.ts';

const PLACE = { address: 'https://gw.example.com', path: '/v1/1/flows' };
const rewrite = (text: string) => rewriteLinks(Buffer.from(text, 'latin1'), PLACE).toString('latin1');

describe('links in answers', () => {
  it('a link to another page: repeats the call at the gateway, without the token', () => {
    const next =
      'https:\\/\\/graph.facebook.com\\/v24.0\\/1\\/flows?access_token=EAA&limit=2&after=QV\\u0046&appsecret_proof=ab';
    assert.equal(
      rewrite(`{"data": [],"paging":{"next" : "${next}"}}`),
      '{"data": [],"paging":{"next" : "https://gw.example.com/v1/1/flows?limit=2&after=QVF"}}',
    );
  });

  it("a file's url: its download at the gateway", () => {
    const url = 'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=123&hash=x';
    assert.equal(rewrite(`{"url":"${url}"}`), '{"url":"https://gw.example.com/v1/media/123/download"}');
  });

  for (const text of [
    '{"url":"https://example.com/mine","websites":["https://graph.facebook.com/v24.0/1"]}',
    '{"about":"say \\"next\\":\\"https://x.example\\" to it","x\\"next":"https://graph.facebook.com/"}',
    '{"next":"tomorrow","previous":null,"url":12}',
    '{"big": 12345678901234567890, "e":1E400,\n "\xff":"\xe9"}',
    'not JSON "url" at all',
  ]) {
    it(`${text.slice(0, 60)}: unchanged`, () => assert.equal(rewrite(text), text));
  }
});
