import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One message as it reached the upstream. */
export interface Arrival {
  phoneNumberId: string;
  /** Digits. */
  to: string;
  body: string;
  /** Time at which its first line was read, on the monotonic clock. */
  atMs: number;
}

export interface UpstreamOptions {
  /** Count of numbers of each account. */
  numbers: number;
  throughputLevel: 'STANDARD' | 'HIGH';
  /** Accepts a message, or returns the platform's error code. */
  take(arrival: Arrival): number | null;
}

/** Starts the minimal platform that a gateway needs to connect an account and send; it answers at once. Resolves with its port. */
export function listenAsUpstream(options: UpstreamOptions): Promise<number> {
  let serial = 0;
  const send = (arrival: Arrival): [number, string] => {
    const code = options.take(arrival);
    if (code !== null) return [400, JSON.stringify({ error: { message: `(#${code})`, type: 'OAuthException', code } })];
    serial += 1;
    const { to } = arrival;
    const contact = `{"input":"+${to}","wa_id":"${to}"}`;
    const wamid = `wamid.bench.${process.pid}.${serial}`;
    return [200, `{"messaging_product":"whatsapp","contacts":[${contact}],"messages":[{"id":"${wamid}"}]}`];
  };
  const server = createServer((request, response) => {
    const atMs = performance.now();
    const path = (request.url ?? '').split('?')[0] ?? '';
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const phoneNumberId = request.method === 'POST' ? /\/(\d+)\/messages$/.exec(path)?.[1] : undefined;
      const [status, answer] =
        phoneNumberId === undefined
          ? [200, accountAnswer(path, options)]
          : send({ phoneNumberId, to: /"to":\s*"\+?(\d+)"/.exec(body)?.[1] ?? '', body, atMs });
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
      response.end(answer);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** The account whose numbers have the first ids. The numbers of the next account follow them. */
const FIRST_ACCOUNT = 100;

/** Returns the id of the number at this index. */
export function numberIdAt(index: number): string {
  return String(200_000_000 + index);
}

function accountAnswer(path: string, { numbers, throughputLevel }: UpstreamOptions): string {
  if (path.endsWith('/phone_numbers')) {
    const account = Number(/\/(\d+)\/phone_numbers$/.exec(path)?.[1] ?? FIRST_ACCOUNT);
    const first = (account - FIRST_ACCOUNT) * numbers;
    const data = Array.from({ length: numbers }, (_, index) => ({
      id: numberIdAt(first + index),
      display_phone_number: `+1 202 ${5_550_000 + first + index}`,
      status: 'CONNECTED',
      platform_type: 'CLOUD_API',
      throughput: { level: throughputLevel },
    }));
    return JSON.stringify({ data });
  }
  if (path.endsWith('/message_templates')) {
    const data = ['MARKETING', 'UTILITY', 'AUTHENTICATION'].map((category, index) => ({
      id: String(300_000_000 + index),
      name: `bench_${category.toLowerCase()}`,
      language: 'en_US',
      category,
      status: 'APPROVED',
      components: [{ type: 'BODY', text: 'Hello' }],
    }));
    return JSON.stringify({ data });
  }
  return '{"success":true}';
}
