import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Gateway } from '../../harness/gateway.ts';

/** Treatment of one request: forwarded; forwarded and then cut off before the answer; held without an answer; or refused. */
export type Treatment =
  | 'forward'
  | 'cut'
  | 'hold'
  | { status: number; headers?: Record<string, string>; body?: string };

/** A proxy before a gateway that treats requests as a test asks. */
export interface FrontServer extends AsyncDisposable {
  baseUrl: string;
  /** The requests so far. */
  seen: { method: string; url: string; headers: IncomingMessage['headers']; atMs: number; body: string }[];
}

/** Starts a proxy on loopback; `treat` gets the number of the request, from 1. */
export async function startFrontServer(
  gateway: Pick<Gateway, 'baseUrl'>,
  treat: (count: number) => Treatment,
): Promise<FrontServer> {
  const seen: FrontServer['seen'] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, atMs: performance.now(), body: body.toString() });
    const treatment = treat(seen.length);
    if (treatment === 'hold') return;
    if (typeof treatment === 'object') {
      response.writeHead(treatment.status, treatment.headers).end(treatment.body);
      return;
    }
    const { authorization = '', 'content-type': type = '', 'idempotency-key': key } = headers;
    const answer = await fetch(`${gateway.baseUrl}${url}`, {
      method,
      headers: { authorization, ...(type && { 'content-type': type }), ...(key && { 'idempotency-key': String(key) }) },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const text = await answer.text();
    if (treatment === 'cut') request.socket.destroy();
    else response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
