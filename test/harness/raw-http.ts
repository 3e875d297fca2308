import { connect } from 'node:net';
import type { Gateway } from './gateway.ts';

/**
 * Writes bytes to the gateway's socket and collects the answer until the gateway closes. Like many clients, it reads nothing before it has
 * sent everything.
 */
export function exchangeRaw(gateway: Pick<Gateway, 'baseUrl'>, request: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(gateway.baseUrl);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(request, () => socket.resume()));
    socket.pause();
    socket.setTimeout(60_000, () => socket.destroy(new Error('the gateway kept a raw connection open')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)));
  });
}

/** Splits the first HTTP answer in `text`; the status is 0 if there is none. */
export function parseRaw(text: string): { status: number; headers: Headers; body: string } {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') };
}
