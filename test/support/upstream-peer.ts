import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/core/time/clock.ts';
import type { SendRequest } from '../../src/upstream/send-message.ts';
import type { SendOutcome } from '../../src/upstream/send-outcome.ts';
import { createUpstream, type Upstream, type UpstreamOptions } from '../../src/upstream/upstream.ts';

/** A token that no test may see outside the `Authorization` header. */
export const token = 'EAAGsecretTokenOfTheTenant';

export const wamid = 'wamid.QUJDREVGRw==';
/** The answer that accepts the message of `send`; `acceptedBytes` for a peer that writes bytes itself. */
export const accepted = { contacts: [{ input: '+491701', wa_id: '491701' }], messages: [{ id: wamid }] };
const acceptedText = JSON.stringify(accepted);
export const acceptedBytes = `HTTP/1.1 200 OK\r\ncontent-length: ${acceptedText.length}\r\n\r\n${acceptedText}`;

/** Posts a message; `extra` replaces some of its members. */
export function send(upstream: Upstream, extra: Partial<SendRequest> = {}): Promise<SendOutcome> {
  return upstream.sendMessage({ phoneNumberId: '777', road: 'messages', token, body: '{"to":"+491701"}', ...extra });
}

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** A simulated platform of one test, and an upstream client connected to it. Both end with the test. */
export interface Peer {
  upstream: Upstream;
  origin: string;
  /** Every request whose body arrived completely. */
  received: ReceivedRequest[];
  /** Every log entry, as JSON. */
  logged: string[];
}

type Options = Partial<UpstreamOptions>;

/** Starts a platform that speaks HTTP; `answer` is called once a request has arrived. */
export async function startPeer(
  t: TestContext,
  answer: (request: ReceivedRequest, response: ServerResponse) => void,
  options: Options = {},
): Promise<Peer> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return;
    }
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: Buffer.concat(chunks) };
    received.push(request);
    answer(request, response);
  });
  t.after(() => server.closeAllConnections());
  return { ...(await listen(t, server, options)), received };
}

/** Starts a platform that sends the bytes `talk` writes to the connection. */
export async function startRawPeer(
  t: TestContext,
  talk: (socket: Socket) => void,
  options: Options = {},
): Promise<Omit<Peer, 'received'>> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    talk(socket);
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return listen(t, server, options);
}

async function listen(t: TestContext, server: Server, options: Options): Promise<Omit<Peer, 'received'>> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  const origin = `http://127.0.0.1:${address.port}`;
  const { upstream, logged } = startUpstream(t, { baseUrl: `${origin}/v24.0`, ...options });
  t.after(() => void server.close());
  return { upstream, origin, logged };
}

/** Creates an upstream client for `baseUrl`, with its log entries. */
export function startUpstream(t: TestContext, options: Options & { baseUrl: string }) {
  const logged: string[] = [];
  const note = (entry: unknown) => void logged.push(JSON.stringify(entry));
  const upstream = createUpstream({
    clock: systemClock,
    log: { info: note, warn: note, debug: note },
    appId: '4242',
    ...options,
  });
  t.after(() => upstream.close(0));
  return { upstream, logged };
}

/** Answers with JSON. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Calls `then` with every complete request of a connection. Bodies need a content-length. */
export function onRequests(socket: Socket, then: (text: string) => void): void {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (;;) {
      const end = text.indexOf('\r\n\r\n') + 4;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 4 || text.length < end + length) return;
      const whole = text.slice(0, end + length);
      text = text.slice(end + length);
      then(whole);
    }
  });
}
