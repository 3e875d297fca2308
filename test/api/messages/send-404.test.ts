import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, freshRecipient, send, templateTo } from '../../harness/tenant.ts';

describe('a send that finds nothing', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway, {
    templates: [
      { name: 'spring_sale', language: 'en_US' },
      { name: 'greeting', language: 'en_US' },
      { name: 'greeting', language: 'de' },
    ],
  });
  const other = useTenant(gateway, { templates: [{ name: 'others_own', language: 'en_US' }] });

  const sendFrom = (phoneNumberId: string, body: unknown = templateTo(freshRecipient())) =>
    call(gateway, tenant, 'POST', `/v1/${phoneNumberId}/messages`, { body });

  it('answers ACCOUNT_NOT_FOUND in the same bytes for a foreign number and an unknown one', async () => {
    const texts = new Set<string>();
    for (const phoneNumberId of [
      other.phoneNumberId,
      '899999999999999',
      '1',
      'not-a-number',
      '0x10',
      '%00',
      'é',
      other.accountId,
    ]) {
      const answer = await sendFrom(encodeURI(phoneNumberId).replace('%2500', '%00'));
      assertError(answer, 404, 'ACCOUNT_NOT_FOUND', 33);
      texts.add(textWithoutRequestId(answer));
    }
    assert.equal(texts.size, 1, [...texts].join('\n'));
  });

  it('explains an id that is a WABA, an account id or the number itself', async () => {
    for (const id of [tenant.wabaId, tenant.accountId, tenant.phoneNumber, `+${tenant.phoneNumber}`]) {
      const answer = await sendFrom(id);
      assertError(answer, 404, 'ACCOUNT_NOT_FOUND', 33);
      assert.match(answer.json.message, /not the number itself but its phone_number_id/);
    }
  });

  it('answers ACCOUNT_NOT_FOUND to mark-as-read for a foreign number', async () => {
    const answer = await sendFrom(other.phoneNumberId, { status: 'read', message_id: 'wamid.x' });
    assertError(answer, 404, 'ACCOUNT_NOT_FOUND', 33);
  });

  it('answers TEMPLATE_NOT_FOUND in the same bytes for a foreign and an unknown template', async () => {
    const [foreign, absent] = await Promise.all(
      ['others_own', 'never_made'].map((name) => send(gateway, tenant, templateTo(freshRecipient(), name))),
    );
    for (const answer of [foreign, absent]) assertError(answer!, 404, 'TEMPLATE_NOT_FOUND', 132001);
    assert.equal(
      textWithoutRequestId(foreign!).replaceAll('others_own', 'N'),
      textWithoutRequestId(absent!).replaceAll('never_made', 'N'),
    );
  });

  it('looks a template up by its exact name', async () => {
    for (const name of [
      'Spring_sale',
      'spring_sale ',
      'spring',
      'spring_sale\u0000',
      '__proto__',
      "'; --",
      '𝕊',
      '\ud800',
    ]) {
      assertError(await send(gateway, tenant, templateTo(freshRecipient(), name)), 404, 'TEMPLATE_NOT_FOUND', 132001);
    }
  });

  it('does not repeat an overlong name or language', async () => {
    const long = 'x'.repeat(500_000);
    for (const [code, answer] of [
      ['TEMPLATE_NOT_FOUND', await send(gateway, tenant, templateTo(freshRecipient(), long))],
      [
        'TEMPLATE_LANGUAGE_NOT_FOUND',
        await send(gateway, tenant, templateTo(freshRecipient(), 'greeting', { language: { code: long } })),
      ],
    ] as const) {
      assertError(answer, 404, code, 132001);
      assert.ok(answer.text.length < 4_000, `${answer.text.length}`);
    }
  });

  it('lists the languages in which a template exists', async () => {
    for (const code of ['fr', 'EN_US', 'en', 'de\u0000']) {
      const answer = await send(gateway, tenant, templateTo(freshRecipient(), 'greeting', { language: { code } }));
      assertError(answer, 404, 'TEMPLATE_LANGUAGE_NOT_FOUND', 132001);
      assert.deepEqual(answer.json.available_languages.toSorted(), ['de', 'en_US']);
    }
  });

  it('sends nothing upstream', () => {
    assert.equal(gateway.simulator.world.sends.total, 0);
  });
});
