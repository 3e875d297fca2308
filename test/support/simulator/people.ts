import type { TestContext } from 'node:test';
import { asObject, asObjects, type JsonObject } from '../../../src/simulator/graph/json-object.ts';
import type { SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { messagesIn, statusesIn, valuesIn } from './callback-receiver.ts';
import { NUMBER, readAnswer, startTestSimulator, USER, WABA } from './test-simulator.ts';

/** Starts a simulator with calls about people: their messages, sends to them, and the webhooks of both. */
export async function startPeople(context: TestContext, options: Partial<SimulatorOptions> = {}) {
  const sim = await startTestSimulator(context, options);
  const control = async (method: string, path: string, body?: unknown) =>
    readAnswer(
      await fetch(`${sim.simulator.origin}/_sim${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  /** Receives a message and returns its webhook: the message and its contact. */
  const inbound = async (from = USER, members: { type?: string; content?: unknown } = {}) => {
    sim.receiver.received.length = 0;
    await sim.world.inbound({ phoneNumberId: NUMBER, from, ...members });
    const payload = sim.receiver.received[0]?.payload ?? {};
    return { message: messagesIn(payload)[0] ?? {}, contact: asObjects(valuesIn(payload)[0]?.contacts)[0] ?? {} };
  };
  /** Sends a message and returns its answer and its statuses, each with the contact of its webhook. */
  const sendAndFollow = async (message: JsonObject) => {
    sim.receiver.received.length = 0;
    const answer = await sim.send(message);
    await sim.world.whenQuiet();
    const statuses = sim.receiver.received.flatMap(({ payload }) =>
      statusesIn(payload).map((status) => ({
        status,
        contact: asObjects(valuesIn(payload)[0]?.contacts)[0],
      })),
    );
    return { answer, statuses, contact: asObjects(answer.body.contacts)[0] ?? {} };
  };
  const userIdOf = async (reference = USER, waba = WABA) => {
    const { body } = await control('GET', `/people/${reference}`);
    return String(asObjects(body.user_ids).find(({ waba_id }) => waba_id === waba)?.user_id);
  };
  /** Changes of the webhooks since the last message or send: field and value. */
  const changes = () =>
    sim.receiver.received.flatMap(({ payload }) =>
      asObjects(payload.entry).flatMap((entry) =>
        asObjects(entry.changes).map(({ field, value }) => ({ field, value: asObject(value) ?? {} })),
      ),
    );
  return { ...sim, control, inbound, sendAndFollow, userIdOf, changes };
}

/** Returns the names of a message addressed to a user id. */
export const by = (recipient: string): JsonObject => ({ to: undefined, recipient });
