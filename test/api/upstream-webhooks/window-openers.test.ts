import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import {
  call,
  createTenant,
  freshRecipient,
  send,
  sendTemplate,
  type Tenant,
  textTo,
  untilStatus,
} from '../../harness/tenant.ts';

const HOUR_MS = 60 * 60 * 1000;
const GROUP = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD';

/** A person, and the number that the acts of a case concern. */
interface Scene {
  gateway: Gateway;
  tenant: Tenant;
  other: Tenant;
  /** The person's number with `+`. */
  person: string;
}

interface Case {
  name: string;
  opens: boolean;
  /** The person's number; default a fresh one. */
  person?: string;
  act: (scene: Scene) => Promise<unknown>;
}

type World = Gateway['simulator']['world'];
type Inbound = Partial<Parameters<World['inbound']>[0]>;
type Call = Partial<Parameters<World['call']>[0]>;

const writes =
  (seed: Inbound = {}) =>
  ({ gateway, tenant, person }: Scene) =>
    gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from: person, ...seed });
const calls =
  (seed: Call = {}) =>
  ({ gateway, tenant, person }: Scene) =>
    gateway.simulator.world.call({ phoneNumberId: tenant.phoneNumberId, user: person, ...seed });
const handsOver =
  (to: 'agent' | 'business') =>
  ({ gateway, tenant, person }: Scene) =>
    gateway.simulator.world.handOver({ phoneNumberId: tenant.phoneNumberId, user: person, to });
const echoes =
  (by: 'app' | 'agent') =>
  ({ gateway, tenant, person }: Scene) =>
    gateway.simulator.world.echo({ phoneNumberId: tenant.phoneNumberId, to: person, by });
const announces =
  (field: string, members: (scene: Scene, digits: string, at: string) => Record<string, unknown>) => (scene: Scene) => {
    const { gateway, tenant, person } = scene;
    const metadata = { display_phone_number: tenant.phoneNumber, phone_number_id: tenant.phoneNumberId };
    const at = String(Math.floor(Date.now() / 1000));
    const value = { messaging_product: 'whatsapp', metadata, ...members(scene, person.slice(1), at) };
    return gateway.simulator.world.announce(tenant.wabaId, field, value);
  };
const inTurn =
  (...acts: Case['act'][]) =>
  async (scene: Scene) => {
    for (const act of acts) await act(scene);
  };
const ago = (ms: number) => Date.now() - ms;
const permission = { type: 'call_permission_reply', call_permission_reply: { response: 'reject' } };

const CASES: Case[] = [
  ...['text', 'image', 'audio', 'document', 'sticker', 'location', 'contacts', 'reaction', 'order', 'unsupported'].map(
    (type) => ({ name: `a message: ${type}`, opens: true, act: writes({ type }) }),
  ),
  { name: 'a tap on a button', opens: true, act: writes({ type: 'button' }) },
  { name: 'a choice from a list', opens: true, act: writes({ type: 'interactive' }) },
  { name: 'a refusal to be called', opens: true, act: writes({ type: 'interactive', content: permission }) },
  { name: 'a message through an ad', opens: true, act: writes({ referral: { source_type: 'ad' } }) },
  { name: 'a message of 23 hours ago', opens: true, act: writes({ at: ago(23 * HOUR_MS) }) },
  { name: 'a message from Brazil, with the ninth digit', opens: true, person: '+5511987654321', act: writes() },
  { name: 'a call of the person, missed', opens: true, act: calls() },
  { name: 'a call of the person, taken', opens: true, act: calls({ isAnswered: true }) },
  { name: 'a call of the business, taken', opens: true, act: calls({ by: 'business', isAnswered: true }) },
  { name: 'a message to an agent', opens: true, act: inTurn(handsOver('agent'), writes()) },
  {
    name: 'a message and an answer of the agent',
    opens: true,
    act: inTurn(handsOver('agent'), writes(), echoes('agent')),
  },
  { name: 'a message after the agent', opens: true, act: inTurn(handsOver('agent'), handsOver('business'), writes()) },
  { name: 'an old message, then a call', opens: true, act: inTurn(writes({ at: ago(30 * HOUR_MS) }), calls()) },
  { name: 'a call, then an old message', opens: true, act: inTurn(calls(), writes({ at: ago(30 * HOUR_MS) })) },
  { name: 'a message in a group and one alone', opens: true, act: inTurn(writes({ groupId: GROUP }), writes()) },

  { name: 'nothing', opens: false, act: async () => {} },
  { name: 'a note about the person', opens: false, act: writes({ type: 'system' }) },
  { name: 'a message in a group', opens: false, act: writes({ groupId: GROUP }) },
  { name: 'a message of 25 hours ago', opens: false, act: writes({ at: ago(25 * HOUR_MS) }) },
  { name: 'a call of 25 hours ago', opens: false, act: calls({ at: ago(25 * HOUR_MS) }) },
  { name: 'a call of the business, not taken', opens: false, act: calls({ by: 'business' }) },
  { name: 'an echo of the app', opens: false, act: echoes('app') },
  { name: 'a handover to an agent', opens: false, act: handsOver('agent') },
  { name: 'a handover to the business', opens: false, act: handsOver('business') },
  {
    name: 'an old message to an agent',
    opens: false,
    act: inTurn(handsOver('agent'), writes({ at: ago(25 * HOUR_MS) })),
  },
  {
    name: 'a template that is delivered and read',
    opens: false,
    act: async ({ gateway, tenant, person }) => {
      await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, person), 'read');
    },
  },
  {
    name: 'a message and a call to another number',
    opens: false,
    act: ({ other, ...scene }) => inTurn(writes(), calls())({ ...scene, tenant: other, other }),
  },
  {
    name: 'a message of the past',
    opens: false,
    act: announces('history', (_, from, timestamp) => {
      const message = { from, id: `wamid.past${from}`, timestamp, type: 'text', text: { body: 'x' } };
      return { history: [{ threads: [{ id: from, messages: [message] }] }] };
    }),
  },
  {
    name: 'a contact of the app',
    opens: false,
    act: announces('smb_app_state_sync', (_, phone_number) => ({
      state_sync: [{ type: 'contact', action: 'add', contact: { phone_number } }],
    })),
  },
  {
    name: 'a status in standby',
    opens: false,
    act: announces('standby', (_, recipient_id, timestamp) => ({
      standby: { statuses: [{ id: `wamid.agent${recipient_id}`, status: 'read', timestamp, recipient_id }] },
    })),
  },
  {
    name: 'a wish for no marketing',
    opens: false,
    act: announces('user_preferences', (_, wa_id, timestamp) => ({
      user_preferences: [{ wa_id, category: 'marketing_messages', value: 'stop', timestamp }],
    })),
  },
];

describe('acts that open the window, judged by the strict platform', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let other: Tenant;
  before(async () => {
    gateway = await startGateway({ simulator: { serviceWindow: 'strict' } });
    tenant = await createTenant(gateway);
    other = await createTenant(gateway);
  });
  after(() => gateway.stop());

  for (const { name, opens, person = freshRecipient(), act } of CASES) {
    it(`${name} → ${opens ? 'open' : 'closed'}`, async () => {
      const { world } = gateway.simulator;
      await act({ gateway, tenant, other, person });
      assert.equal(world.isWindowOpen(tenant.phoneNumberId, person), opens, 'the platform');
      const path = `/v1/${tenant.phoneNumberId}/windows/${person}`;
      assert.equal((await call(gateway, tenant, 'GET', path)).json.open, opens, 'the window as read');
      const answer = await send(gateway, tenant, textTo(person));
      assert.equal(answer.status, opens ? 202 : 403, answer.text);
      if (!opens) return;
      const message = await untilStatus(gateway, tenant, answer.json.messages[0].id, 'delivered', 'read', 'failed');
      assert.notEqual(message.status, 'failed', message.error_code);
    });
  }
});
