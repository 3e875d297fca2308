import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  type Answer,
  call,
  createTenant,
  freshRecipient,
  readMessage,
  sendTemplate,
  untilStatus,
} from '../../harness/tenant.ts';
import { inboundText, nowSeconds, postChange } from '../../harness/upstream-webhook.ts';
import { NEW_ID_SQL } from '../../support/new-id-sql.ts';

const idsOf = (answer: Answer): string[] => answer.json.data.map((message: { id: string }) => message.id);

describe('GET messages', () => {
  let templateIds: string[];
  let failedId: string;
  let inboundId: string;
  const to = freshRecipient();
  const callbackData = 'order=A-1042 "ü"';

  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const stranger = useTenant(gateway);
  before(async () => {
    await sendTemplate(gateway, stranger, to, 'spring_sale', { biz_opaque_callback_data: callbackData });
    templateIds = [];
    for (let index = 0; index < 5; index += 1) {
      const extra = index === 2 ? { biz_opaque_callback_data: callbackData } : {};
      templateIds.push(await sendTemplate(gateway, tenant, to, index % 2 === 0 ? 'spring_sale' : 'greeting', extra));
    }
    // 131009: refused at once.
    failedId = await sendTemplate(gateway, tenant, '+15550101009');
    await untilStatus(gateway, tenant, failedId, 'failed');
    for (const id of templateIds) await untilStatus(gateway, tenant, id, 'read');
    // `read` may have overtaken `sent`.
    await gateway.simulator.world.whenQuiet();
    const from = freshRecipient().slice(1);
    const messages = [inboundText(from, nowSeconds())];
    await postChange(gateway, tenant, { messages });
    inboundId = idsOf(await call(gateway, tenant, 'GET', `/v1/messages?recipient=${from}`))[0] ?? '';
  });

  const list = (query: Record<string, string>) =>
    call(gateway, tenant, 'GET', `/v1/messages?${new URLSearchParams(query)}`);

  it('lists both directions newest first, each as read alone', async () => {
    const answer = await list({});
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(idsOf(answer), [inboundId, failedId, ...templateIds.toReversed()]);
    assert.equal(answer.json.next, null);
    for (const message of answer.json.data) assert.deepEqual(message, await readMessage(gateway, tenant, message.id));
  });

  it('returns each message once in pages of any size', async () => {
    for (const limit of ['1', '2', '3', '7']) {
      const seen: string[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const page: Answer = await list({ limit, ...(after && { after }) });
        seen.push(...idsOf(page));
        after = page.json.next;
      }
      assert.deepEqual(seen, [inboundId, failedId, ...templateIds.toReversed()], `pages of ${limit}`);
    }
  });

  it('filters by each parameter alone and by all together', async () => {
    const [first, second, third, fourth, fifth] = templateIds as [string, string, string, string, string];
    const read = await readMessage(gateway, tenant, third);
    const cases: [query: Record<string, string>, ids: string[]][] = [
      [{ number: tenant.phoneNumberId, direction: 'inbound' }, [inboundId]],
      [{ recipient: to }, [fifth, fourth, third, second, first]],
      [{ recipient: to.slice(1), limit: '2' }, [fifth, fourth]],
      [{ recipient: '15559999999' }, []],
      [{ status: 'failed' }, [failedId]],
      [{ status: 'received' }, [inboundId]],
      [{ type: 'text' }, [inboundId]],
      [{ template: 'greeting' }, [fourth, second]],
      [{ direction: 'outbound', status: 'read' }, [fifth, fourth, third, second, first]],
      [{ error_code: '131009' }, [failedId]],
      [{ biz_opaque_callback_data: callbackData }, [third]],
      [{ biz_opaque_callback_data: 'order=A' }, []],
      [{ message_id: read.message_id }, [third]],
      [{ message_id: (await readMessage(gateway, tenant, inboundId)).message_id }, [inboundId]],
      [{ message_id: read.message_id, status: 'failed' }, []],
      [{ message_id: 'wamid.none' }, []],
      [
        { from: read.created_at, to: new Date(Date.parse(read.created_at) + 1).toISOString(), template: 'spring_sale' },
        [third],
      ],
      [{ to: read.created_at }, [second, first]],
      [{ from: '2100-01-01T00:00:00Z' }, []],
      [
        {
          number: tenant.phoneNumberId,
          recipient: to,
          status: 'read',
          type: 'template',
          template: 'spring_sale',
          direction: 'outbound',
          from: '2000-01-01T00:00:00Z',
          to: '2100-01-01T00:00:00+02:00',
          biz_opaque_callback_data: callbackData,
        },
        [third],
      ],
    ];
    for (const [query, ids] of cases) {
      const answer = await list(query);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(idsOf(answer), ids, JSON.stringify(query));
    }
  });

  it('shows no message of another organization, under any filter', async () => {
    const [own] = idsOf(await call(gateway, stranger, 'GET', '/v1/messages'));
    assert.ok(own);
    const { message_id: wamid } = await untilStatus(gateway, stranger, own, 'sent', 'delivered', 'read');
    assert.ok(wamid);
    const queries: Record<string, string>[] = [
      {},
      { recipient: to },
      { biz_opaque_callback_data: callbackData },
      { message_id: wamid },
      { after: own },
    ];
    for (const query of queries) assert.ok(!idsOf(await list(query)).includes(own), JSON.stringify(query));
    const foreign = await list({ number: stranger.phoneNumberId });
    assertError(foreign, 404, 'ACCOUNT_NOT_FOUND');
    assert.equal(textWithoutRequestId(foreign), textWithoutRequestId(await list({ number: '899999999999999' })));
  });

  it('continues behind filtered messages, examining a bounded number at a time', async () => {
    const { db } = gateway.app;
    const crowd = await createTenant(gateway);
    const kept = await sendTemplate(gateway, crowd, freshRecipient(), 'greeting');
    await untilStatus(gateway, crowd, kept, 'read');
    // Newer messages than any one page examines. Their ids are of this very millisecond, so that today's partition holds them.
    await db
      .query({
        text: `
        INSERT INTO message (organization_id, id, number_id, direction, type, template_name, body, status, accepted_at)
        SELECT m.organization_id, (left(i.prefix, 12) || '7fffbfff' || lpad(to_hex(n), 12, '0'))::uuid, m.number_id, 0, 'template', 'noise', '{}', 1, now()
        FROM message m, (SELECT replace($2::text, '-', '') AS prefix) i, generate_series(1, 12000) n
        WHERE m.organization_id = $1`,
        values: [crowd.organizationId, kept],
      })
      .catch((error: unknown) => assert.fail(String(error)));
    const newest = await sendTemplate(gateway, crowd, freshRecipient(), 'greeting');
    const pages: string[][] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await call(
        gateway,
        crowd,
        'GET',
        `/v1/messages?template=greeting&limit=2${after ? `&after=${after}` : ''}`,
      );
      pages.push(idsOf(page));
      after = page.json.next;
    }
    assert.deepEqual(pages.flat(), [newest, kept]);
    assert.ok(pages.length > 2, `${pages.length} pages`);
  });

  it('returns few long messages at a time, and skips none', async () => {
    const writer = await createTenant(gateway);
    const rows = await gateway.app.db.query<{ id: string }>({
      text: `
        INSERT INTO message (organization_id, id, number_id, direction, type, body, status, accepted_at)
        SELECT organization_id, ${NEW_ID_SQL}, number_id, 0, 'text', '{"text":{"body":"' || repeat('a', 1000000) || '"}}', 1, now()
        FROM sending_number, generate_series(1, 6) WHERE phone_number_id = $1
        RETURNING id`,
      values: [writer.phoneNumberId],
    });
    const first = await call(gateway, writer, 'GET', '/v1/messages');
    const second = await call(gateway, writer, 'GET', `/v1/messages?after=${first.json.next}`);
    assert.deepEqual([idsOf(first).length, second.json.next], [4, null]);
    assert.deepEqual([...idsOf(first), ...idsOf(second)], rows.map(({ id }) => id).toReversed());
  });

  it('refuses invalid parameters with 400 and no key with 401', async () => {
    for (const query of [
      'after=x',
      'limit=0',
      'limit=201',
      'status=eaten',
      'status=constructor',
      'direction=sideways',
      'from=yesterday',
      'to=2026',
      'recipient=abc',
      'number=x',
      'type=a%00b',
      'biz_opaque_callback_data=a%00b',
      'error_code=1&error_code=2',
    ]) {
      assertError(await call(gateway, tenant, 'GET', `/v1/messages?${query}`), 400, 'VALIDATION_ERROR');
    }
    assertError(await call(gateway, undefined, 'GET', '/v1/messages'), 401, 'UNAUTHORIZED');
  });
});
