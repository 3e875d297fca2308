import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that a receiver got. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: payloads are what tests look into
  json: any;
  /** `webhook-id`. */
  id: string;
}

/** Answers a request; `count` is the number of requests so far, including this one. */
export type AnswerWebhook = (request: Received, response: ServerResponse, count: number) => void;

/** A customer's endpoint on loopback. */
export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** Answers requests from now on. */
  answer: AnswerWebhook;
}

export const takeIt: AnswerWebhook = (_request, response) => {
  response.writeHead(204).end();
};

/** Starts a receiver. */
export async function startReceiver(answer: AnswerWebhook = takeIt): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const received: Received = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        json: JSON.parse(body),
        id: String(request.headers['webhook-id']),
      };
      receiver.received.push(received);
      receiver.answer(received, response, receiver.received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
