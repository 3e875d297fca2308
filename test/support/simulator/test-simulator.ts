import type { TestContext } from 'node:test';
import type { JsonObject } from '../../../src/simulator/graph/json-object.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { type CallbackReceiver, startCallbackReceiver } from './callback-receiver.ts';

export const WABA = '102000000000001';
export const NUMBER = '106000000000001';
export const TOKEN = 'token-of-the-first-account';
export const OTHER_WABA = '102000000000002';
export const OTHER_NUMBER = '106000000000002';
export const OTHER_TOKEN = 'token-of-the-second-account';
export const APP_ID = '900000000000001';
export const APP_SECRET = 'app-secret';
export const USER = '16505551234';

export interface TestSimulator {
  simulator: Simulator;
  world: Simulator['world'];
  receiver: CallbackReceiver;
  /** Calls the Graph API with the first account's token. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<GraphAnswer>;
  /** Sends a message from the first account's number. */
  send(message: JsonObject): Promise<GraphAnswer>;
}

export interface GraphAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: JsonObject;
  /** `error` of the body, or an empty object. */
  error: JsonObject;
}

/** Starts a simulator with two accounts of one number each and a webhook receiver; all end after the test. */
export async function startTestSimulator(
  context: TestContext,
  options: Partial<SimulatorOptions> = {},
): Promise<TestSimulator> {
  const receiver = await startCallbackReceiver(APP_SECRET, 'verify-me');
  const simulator = await startSimulator({
    appId: APP_ID,
    appSecret: APP_SECRET,
    verifyToken: 'verify-me',
    webhookUrl: receiver.url,
    statusLatencyMs: { sent: 1, delivered: 2, read: 3 },
    templateReviewMs: 1,
    ...options,
  });
  context.after(async () => {
    await simulator.close();
    await receiver.close();
  });
  simulator.world.addWaba({
    id: WABA,
    accessToken: TOKEN,
    numbers: [{ id: NUMBER, displayPhoneNumber: '+1 555-078-3881' }],
    templates: [{ name: 'hello', language: 'en_US' }],
  });
  simulator.world.addWaba({
    id: OTHER_WABA,
    accessToken: OTHER_TOKEN,
    numbers: [{ id: OTHER_NUMBER, displayPhoneNumber: '+31 20 555 0100' }],
  });
  const call: TestSimulator['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${simulator.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return readAnswer(response);
  };
  const send = (message: JsonObject) =>
    call('POST', `/${NUMBER}/messages`, { messaging_product: 'whatsapp', to: `+${USER}`, ...message });
  return { simulator, world: simulator.world, receiver, call, send };
}

export async function readAnswer(response: Response): Promise<GraphAnswer> {
  const text = await response.text();
  let body: JsonObject = {};
  try {
    body = JSON.parse(text) as JsonObject;
  } catch {
    // Some answers are deliberately not JSON.
  }
  return { status: response.status, headers: response.headers, text, body, error: (body.error ?? {}) as JsonObject };
}

/** Returns the members of a text message. */
export const text = (body = 'Hello'): JsonObject => ({ type: 'text', text: { body } });

/** Returns the members of a template message. */
export const template = (name: string, components?: JsonObject[], language = 'en_US'): JsonObject => ({
  type: 'template',
  template: { name, language: { code: language }, ...(components === undefined ? {} : { components }) },
});
