import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';
import { TEST_SEED } from '../../harness/seed.ts';
import { until } from '../../harness/tenant.ts';
import { inboundText, messagesChange, payloadOf, postWebhook, sign, statusOf } from '../../harness/upstream-webhook.ts';

const SHAPES = 1_000;
const AT_ONCE = 20;

/** Returns a generator of numbers in [0, 1), the same ones for the same seed. */
function seeded(seed: number): () => number {
  let counter = 0;
  return () => {
    counter += 1;
    return createHmac('sha256', String(seed)).update(String(counter)).digest().readUInt32BE(0) / 2 ** 32;
  };
}

describe('undocumented webhooks', () => {
  const gateway = useGateway({ postsOwnWebhooks: true });
  const tenant = useTenant(gateway);

  const counted = async () => {
    const [row] = await gateway.app.db.query<{ journal: number; pending: number; events: number }>({
      text: `
        SELECT (SELECT count(*)::int FROM upstream_journal) AS journal, (SELECT count(*)::int FROM upstream_journal WHERE pending) AS pending,
               (SELECT count(*)::int FROM event) AS events`,
    });
    return row!;
  };

  async function inSets<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    for (let start = 0; start < items.length; start += AT_ONCE)
      await Promise.all(items.slice(start, start + AT_ONCE).map(work));
  }

  it('a thousand random ones: answered 200 and stored, with their valid parts applied', async (t) => {
    t.diagnostic(`seed ${TEST_SEED}`);
    const random = seeded(TEST_SEED);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const at = Math.floor(Date.now() / 1000);
    const words = [
      'messages',
      'statuses',
      'entry',
      'changes',
      'value',
      'field',
      'id',
      'account_update',
      'event',
      'metadata',
      'phone_number_quality_update',
      'message_template_status_update',
      '__proto__',
      'constructor',
      '',
      'ü\u0000',
      '\ud800',
      'x'.repeat(70_000),
      String(at),
      'business_capability_update',
    ];
    const value = (depth: number): unknown => {
      const kind = random();
      if (depth === 0 || kind < 0.35) return pick([null, true, 0, -1, 1e308, 2 ** 60, at, '', ...words, [], {}]);
      if (kind < 0.55) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth - 1));
      return Object.fromEntries(
        Array.from({ length: Math.floor(random() * 5) }, () => [pick(words), value(depth - 1)]),
      );
    };
    /** Returns a valid payload with one random place replaced. */
    const bent = (sound: unknown): unknown => {
      if (random() < 0.12 || typeof sound !== 'object' || sound === null) return value(3);
      const entries = Object.entries(sound);
      if (entries.length === 0) return value(2);
      const [name] = pick(entries);
      const changed = Object.fromEntries(entries.map(([key, inner]) => [key, key === name ? bent(inner) : inner]));
      return Array.isArray(sound) ? Object.values(changed) : changed;
    };
    const sound = (): unknown => {
      const change = pick([
        messagesChange(tenant, { statuses: [statusOf(`wamid.${random()}`, 'delivered', at)] }),
        messagesChange(tenant, {
          contacts: [{ profile: { name: 'A' }, wa_id: '12025550111' }],
          messages: [inboundText('12025550111', at)],
        }),
        {
          field: 'account_update',
          value: { event: 'ACCOUNT_RESTRICTION', restriction_info: [{ restriction_type: 'X', expiration: at }] },
        },
        {
          field: 'phone_number_quality_update',
          value: { display_phone_number: tenant.phoneNumber, event: 'FLAGGED', current_limit: 'TIER_1K' },
        },
        {
          field: 'phone_number_name_update',
          value: { display_phone_number: tenant.phoneNumber, decision: 'REJECTED' },
        },
        { field: 'business_capability_update', value: { max_daily_conversations_per_business: 2000 } },
        {
          field: 'message_template_status_update',
          value: {
            event: 'APPROVED',
            message_template_id: 1,
            message_template_name: 'a',
            message_template_language: 'en',
          },
        },
        { field: pick(words), value: value(3) },
      ]);
      return payloadOf(tenant, change);
    };
    const bodies = new Set<string>();
    while (bodies.size < SHAPES) {
      const text = JSON.stringify(bent(sound())) ?? 'null';
      bodies.add(random() < 0.03 ? text.slice(0, Math.floor(random() * text.length)) : text);
    }
    const before = await counted();
    await inSets([...bodies], async (body) => {
      const answer = await postWebhook(gateway, body);
      assert.equal(answer.status, 200, `seed ${TEST_SEED}: ${answer.text} for ${body.slice(0, 500)}`);
    });
    await until('everything is worked off', async () => ((await counted()).pending === 0 ? true : undefined));
    assert.equal((await counted()).journal, before.journal + SHAPES, `seed ${TEST_SEED}`);

    const from = '12025550199';
    const good = messagesChange(tenant, { messages: [inboundText(from, at)] });
    const bad = messagesChange(tenant, {
      messages: [{ ...inboundText(from, at), type: 'a\u0000b' }],
      statuses: [5, null, {}],
    });
    assert.equal(
      (await postWebhook(gateway, payloadOf(tenant, bad, good, { field: 'messages', value: 7 }))).status,
      200,
    );
    await until('the sound one is applied', async () => {
      const [row] = await gateway.app.db.query<{ count: number }>({
        text: "SELECT count(*)::int AS count FROM message WHERE contact = $1 AND type = 'text'",
        values: [from],
      });
      return row?.count === 1 ? true : undefined;
    });
  });

  it('a thousand mangled signatures: refused, and nothing is stored', async (t) => {
    t.diagnostic(`seed ${TEST_SEED}`);
    const random = seeded(TEST_SEED);
    const body = JSON.stringify(
      payloadOf(tenant, messagesChange(tenant, { messages: [inboundText('12025550177', 1_790_000_000)] })),
    );
    const good = sign(UPSTREAM_APP.appSecret, body);
    const printable = () => String.fromCharCode(33 + Math.floor(random() * 94));
    const mutations: (() => string)[] = [
      () => {
        const place = Math.floor(random() * good.length);
        return good.slice(0, place) + printable() + good.slice(place + 1);
      },
      () => good.slice(0, Math.floor(random() * good.length)),
      () => good + printable(),
      () => good.replace(/[a-f]/, (letter) => letter.toUpperCase()),
      () => sign(`secret ${random()}`, body),
      () => sign(UPSTREAM_APP.appSecret, `${body}${printable()}`),
      () =>
        good
          .split('')
          .sort(() => random() - 0.5)
          .join(''),
    ];
    const signatures = new Set<string>();
    while (signatures.size < SHAPES) {
      const mangled = mutations[Math.floor(random() * mutations.length)]!();
      if (mangled !== good) signatures.add(mangled);
    }
    const before = await counted();
    await inSets([...signatures], async (signature) => {
      const answer = await postWebhook(gateway, body, { signature });
      assert.equal(answer.status, 401, `seed ${TEST_SEED}: ${signature}`);
    });
    assert.deepEqual(await counted(), before);
    assert.equal((await postWebhook(gateway, body, { signature: good })).status, 200, 'the sound one passes');
  });
});
