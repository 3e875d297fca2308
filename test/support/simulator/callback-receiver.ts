import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../src/simulator/graph/json-object.ts';

interface ReceivedWebhook {
  raw: Buffer;
  payload: JsonObject;
  isSigned: boolean;
}

/** A webhook receiver for tests: records webhooks, checks their signatures, and answers with the given statuses. */
export interface CallbackReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** Statuses for the next answers; 200 once used up. */
  answers: number[];
  /** Resolves with the first webhook, past or future, that matches. */
  waitFor(predicate: (webhook: ReceivedWebhook) => boolean): Promise<ReceivedWebhook>;
  close(): Promise<void>;
}

export async function startCallbackReceiver(appSecret: string, verifyToken: string): Promise<CallbackReceiver> {
  const received: ReceivedWebhook[] = [];
  const answers: number[] = [];
  let waiters: { predicate: (webhook: ReceivedWebhook) => boolean; resolve: (webhook: ReceivedWebhook) => void }[] = [];
  const server = createServer(async (request, response) => {
    const query = new URL(request.url ?? '/', 'http://receiver').searchParams;
    if (request.method === 'GET') {
      const isKnown = query.get('hub.verify_token') === verifyToken;
      response.writeHead(isKnown ? 200 : 403).end(isKnown ? query.get('hub.challenge') : '');
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const expected = `sha256=${createHmac('sha256', appSecret).update(raw).digest('hex')}`;
    const isSigned = request.headers['x-hub-signature-256'] === expected;
    const webhook = { raw, payload: JSON.parse(raw.toString()) as JsonObject, isSigned };
    received.push(webhook);
    response.writeHead(answers.shift() ?? (isSigned ? 200 : 401)).end();
    waiters = waiters.filter(({ predicate, resolve }) => {
      if (!predicate(webhook)) return true;
      resolve(webhook);
      return false;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/upstream`,
    received,
    answers,
    waitFor(predicate) {
      const present = received.find(predicate);
      if (present !== undefined) return Promise.resolve(present);
      return new Promise((resolve) => waiters.push({ predicate, resolve }));
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns the statuses of one webhook, over all entries and changes, in order. */
export function statusesIn(payload: JsonObject): JsonObject[] {
  return valuesIn(payload).flatMap((value) => (value.statuses ?? []) as JsonObject[]);
}

/** Returns the inbound messages of one webhook. */
export function messagesIn(payload: JsonObject): JsonObject[] {
  return valuesIn(payload).flatMap((value) => (value.messages ?? []) as JsonObject[]);
}

export function valuesIn(payload: JsonObject): JsonObject[] {
  const entries = payload.entry as { changes: { value: JsonObject }[] }[];
  return entries.flatMap((entry) => entry.changes.map((change) => change.value));
}
