import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wasTooMany } from '../../chaos/late-arrivals.ts';
import { useGateway } from '../harness/fixtures.ts';
import {
  createTenant,
  freshRecipient,
  issueKey,
  pause,
  queueOf,
  resume,
  sendTemplate,
  type Tenant,
  until,
  untilStatus,
} from '../harness/tenant.ts';

const FAST = { throughputLevel: 'HIGH' } as const;
/**
 * Longest delay of a reading, ms: the simulator shares an event loop with the gateway and the tests, so a message written in time may be
 * read some turns later.
 */
const SHARED_LOOP_LATE_MS = 200;

describe('the send queue is fair', () => {
  const gateway = useGateway();

  const sendsOf = (tenant: Tenant) => gateway.simulator.world.sends.list({ phoneNumberId: tenant.phoneNumberId });
  const inFlight = async () => {
    const { text } = await gateway.app.metrics.render();
    return Number(/^\S*dispatch_in_flight (\d+)$/m.exec(text)?.[1]);
  };
  /**
   * Creates a tenant whose number is paused, so that accepted messages wait together. The number is slow, so few of its messages are in
   * flight at once, where they may overtake each other.
   */
  const pausedTenant = async () => {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    return tenant;
  };
  /** Does `work` many times, a hundred at once. */
  const many = async (count: number, work: (index: number) => Promise<string>) => {
    const ids: string[] = [];
    const next = Array.from({ length: count }, (_, index) => index).values();
    const lane = async () => {
      for (const index of next) ids.push(await work(index));
    };
    await Promise.all(Array.from({ length: 100 }, lane));
    return ids;
  };

  it('an authentication message overtakes 2,000 queued marketing messages within a few slots', async () => {
    const tenant = await pausedTenant();
    await many(2_000, () => sendTemplate(gateway, tenant, freshRecipient()));
    await resume(gateway, tenant);
    await until('the marketing goes out', () => sendsOf(tenant).length > 50 || undefined);
    const code = freshRecipient();
    await sendTemplate(gateway, tenant, code, 'login_code');
    const before = sendsOf(tenant).length;
    // Messages in flight cannot be overtaken; on a slow machine, more are in flight.
    const onTheirWay = await inFlight();
    await gateway.simulator.world.sends.waitFor((sent) => sent.waId === code.slice(1));
    const position = sendsOf(tenant).findIndex((sent) => sent.waId === code.slice(1));
    assert.ok(
      position - before <= onTheirWay + 16,
      `${position - before} others went first, with ${onTheirWay} on their way`,
    );
    assert.ok((await queueOf(gateway, tenant)).queued > 500, 'the marketing still waits');
    await pause(gateway, tenant);
  });

  it('classes share a number by their weights, and none starves', async () => {
    const tenant = await pausedTenant();
    const templates = ['login_code', 'greeting', 'spring_sale'];
    const classOf = new Map<string, string>();
    await many(240, (index) => {
      const [to, name] = [freshRecipient(), templates[index % 3] ?? ''];
      classOf.set(to.slice(1), name);
      return sendTemplate(gateway, tenant, to, name);
    });
    const before = sendsOf(tenant).length;
    await resume(gateway, tenant);
    await until('a hundred were sent', () => (sendsOf(tenant).length >= before + 100 ? true : undefined));
    const counts = new Map<string | undefined, number>();
    for (const sent of sendsOf(tenant).slice(before, before + 75)) {
      const name = classOf.get(sent.waId ?? '');
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const [codes = 0, notices = 0, marketing = 0] = templates.map((name) => counts.get(name));
    // 16 : 8 : 1 of 75 are 48, 24 and 3; messages in flight together arrive in any order.
    assert.ok(Math.abs(codes - 48) <= 12, `${codes} codes`);
    assert.ok(Math.abs(notices - 24) <= 12, `${notices} notices`);
    assert.ok(marketing >= 1 && marketing <= 12, `${marketing} marketing`);
  });

  it('keys of one organization share a number evenly', async () => {
    const tenant = await pausedTenant();
    const { key } = await issueKey(gateway, tenant);
    const small = new Set<string>();
    await many(150, () => sendTemplate(gateway, tenant, freshRecipient()));
    await many(15, () => {
      const to = freshRecipient();
      small.add(to.slice(1));
      return sendTemplate(gateway, { ...tenant, apiKey: key }, to);
    });
    const before = sendsOf(tenant).length;
    await resume(gateway, tenant);
    await until('fifty were sent', () => (sendsOf(tenant).length >= before + 50 ? true : undefined));
    const first = sendsOf(tenant).slice(before, before + 50);
    const theirs = first.filter((sent) => small.has(sent.waId ?? '')).length;
    assert.ok(theirs >= 12, `only ${theirs} of the other key's 15 were among the first 50`);
  });

  it("one person's messages arrive in the order they were accepted, whatever their class", async () => {
    const tenant = await createTenant(gateway, { number: FAST });
    const templates = ['spring_sale', 'login_code', 'greeting', 'order_update'];
    const people = Array.from({ length: 8 }, freshRecipient);
    await Promise.all(
      people.map(async (to) => {
        for (let index = 0; index < 16; index += 1) {
          await sendTemplate(gateway, tenant, to, templates[index % 4], { biz_opaque_callback_data: String(index) });
        }
      }),
    );
    await until('all were sent', () => (sendsOf(tenant).length === 128 ? true : undefined));
    for (const to of people) {
      const order = sendsOf(tenant)
        .filter((sent) => sent.waId === to.slice(1))
        .map((sent) => sent.callbackData);
      assert.deepEqual(
        order,
        Array.from({ length: 16 }, (_, index) => String(index)),
      );
    }
  });

  it('a person: gets no more than the pair limit allows, and delays no other person', async () => {
    const tenant = await createTenant(gateway, { number: FAST });
    const to = freshRecipient();
    const startedMs = performance.now();
    for (let index = 0; index < 50; index += 1) await sendTemplate(gateway, tenant, to);
    const others = await many(30, () => sendTemplate(gateway, tenant, freshRecipient()));
    for (const id of others) await untilStatus(gateway, tenant, id, 'sent', 'delivered', 'read');
    await until(
      'the burst is used up',
      async () => (await queueOf(gateway, tenant)).waits_for.includes('pair limit') || undefined,
    );
    const sentTo = () => sendsOf(tenant).filter((record) => record.waId === to.slice(1)).length;
    await until('all of the burst has arrived', () => sentTo() >= 45 || undefined);
    const sent = sentTo();
    const allowed = 45 + Math.floor((performance.now() - startedMs) / 6_000);
    assert.ok(sent >= 45 && sent <= allowed, `${sent} sent, ${allowed} allowed`);
    assert.equal(gateway.simulator.world.violations.counts().pair, 0);
  });

  it('no number is sent faster than the upstream allows', () => {
    const { violations, sends } = gateway.simulator.world;
    const tooMany = violations.list().filter(({ kind, phoneNumberId, at: atMs, limit }) => {
      const taken = sends.list({ phoneNumberId, outcome: 'accepted' });
      return (
        kind === 'throughput' &&
        wasTooMany(
          taken.map(({ arrivedAt }) => arrivedAt),
          { atMs, limit },
          SHARED_LOOP_LATE_MS,
        )
      );
    });
    assert.deepEqual(tooMany, []);
  });
});
