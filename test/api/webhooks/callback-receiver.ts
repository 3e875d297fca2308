import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One webhook that a client got. */
interface Got {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: payloads are what tests look into
  json: any;
}

/** A client's address on loopback, which answers handshakes as the platform demands it. */
export interface CallbackReceiver extends AsyncDisposable {
  url: string;
  received: Got[];
}

/** Starts a receiver. Answers 403 to another verify token, and without the challenge under a path that ends in `/mute`. */
export async function startCallbackReceiver(verifyToken: string): Promise<CallbackReceiver> {
  const received: Got[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'GET') {
      const isKnown = url.searchParams.get('hub.verify_token') === verifyToken;
      response.writeHead(isKnown && url.searchParams.get('hub.mode') === 'subscribe' ? 200 : 403);
      response.end(url.pathname.endsWith('/mute') ? 'OK' : (url.searchParams.get('hub.challenge') ?? ''));
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ path: url.pathname, headers: request.headers, body, json: JSON.parse(body) });
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
