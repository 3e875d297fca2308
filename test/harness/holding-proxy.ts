import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A call that came through the proxy. */
export interface ProxiedCall {
  /** Method and path without the query, such as `POST /v24.0/81234/register`. */
  name: string;
  body: string;
}

/** A way to a server on which chosen calls get no answer. */
export interface HoldingProxy {
  readonly origin: string;
  /** Returns the calls whose address or authorization has one of the words, in their order. */
  callsOf(words: readonly string[]): ProxiedCall[];
  /**
   * Leaves the call number `index` with one of the words without an answer. Resolves when the call has come; with `reaches`, when the server
   * has answered it.
   */
  hold(words: readonly string[], index: number, reaches: boolean): Promise<void>;
  close(): Promise<void>;
}

interface Hold {
  words: readonly string[];
  index: number;
  reaches: boolean;
  done: () => void;
}

/** Headers that belong to one connection, and that of an encoding which the proxy undoes. */
const OF_CONNECTION = ['host', 'connection', 'content-length', 'transfer-encoding', 'content-encoding'];

function without(names: readonly string[], headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || names.includes(name) ? [] : [[name, String(value)]],
    ),
  );
}

/** Listens on a free loopback port and forwards every request to `target`. */
export async function startHoldingProxy(target: () => string): Promise<HoldingProxy> {
  const calls: { search: string; call: ProxiedCall }[] = [];
  const holds = new Set<Hold>();
  const callsOf = (words: readonly string[]) =>
    calls.filter(({ search }) => words.some((word) => search.includes(word))).map(({ call }) => call);

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    const search = `${url} ${headers.authorization ?? ''}`;
    calls.push({ search, call: { name: `${method} ${url.split('?', 1)[0]}`, body: body.toString() } });
    const held = [...holds].find(
      ({ words, index }) => words.some((word) => search.includes(word)) && callsOf(words).length === index + 1,
    );
    if (held !== undefined) holds.delete(held);
    if (held?.reaches === false) return held.done();
    const answered = await fetch(`${target()}${url}`, {
      method,
      headers: without(OF_CONNECTION, headers),
      ...(body.length > 0 && { body }),
    });
    const answerBody = Buffer.from(await answered.arrayBuffer());
    if (held !== undefined) return held.done();
    response.writeHead(answered.status, without(OF_CONNECTION, Object.fromEntries(answered.headers))).end(answerBody);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    callsOf,
    hold: (words, index, reaches) => new Promise((done) => holds.add({ words, index, reaches, done })),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
