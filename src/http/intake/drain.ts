import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pause } from '../../core/run/waiting.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Listener } from './listener.ts';

declare module 'fastify' {
  interface FastifyInstance {
    listener: Listener;
  }
}

export interface DrainOptions {
  clock: Clock;
  /** Time that clients have to send one more request and learn that their connection ends. */
  graceMs: number;
  /** Time that answers may take after the grace period. */
  answerMs: number;
  /** Called when the grace period is over: answers the requests that merely wait. */
  endWaiting: () => Promise<void>;
}

const LOOK_MS = 25;
/** Length of the quiet period, without new connections or without requests on idle ones, and the longest wait for it. */
const CONNECTING = { quietMs: 50, waitMs: 500 };
const IDLE = { quietMs: 500, waitMs: 2_000 };
const SHORT_TURN_MS = 0.2;
const TURNS_MAX = 1_000;

/**
 * Closes the server without losing a request on its way. Closing at once would reset connections on which a request is just arriving. So
 * everything is still served for a while, with `Connection: close`, until no connection is left or the grace period is over.
 * After that, no client can connect any more, and connections that stay idle are closed. Resolves when the last connection has ended;
 * connections that are still open after `answerMs` are cut off.
 */
export async function drainServer(app: FastifyInstance, options: DrainOptions): Promise<void> {
  const { clock, graceMs, answerMs, endWaiting } = options;
  const { server, listener } = app;
  listener.takeLeave();
  const graceEndsMs = clock.monotonicMs() + graceMs;
  while (clock.monotonicMs() < graceEndsMs && (await countConnections(server)) > 0) await pause(clock, LOOK_MS);
  const cancel = clock.schedule(answerMs, () => server.closeAllConnections());
  await Promise.all([endWaiting(), graceMs > 0 ? closeQuietly(app, clock) : app.close()]);
  cancel();
}

/**
 * A listening socket that closes resets the connections it has not handed out yet, and clients that learn that their connection ends make
 * new ones. So requests go unanswered for a moment. Once no client connects any more, all that will are accepted, and the socket can
 * close before they are answered.
 * A connection that is idle by then may still be used by a client that does not check readiness. So idle connections are closed only
 * after no client has sent anything for a while.
 */
async function closeQuietly(app: FastifyInstance, clock: Clock): Promise<void> {
  const { server, listener } = app;
  const closed = once(server, 'close');
  listener.hold();
  await untilQuiet(server, 'connection', clock, CONNECTING);
  // The HTTP server's own `close` would close idle connections at once.
  NetServer.prototype.close.call(server);
  const idle = untilQuiet(server, 'request', clock, IDLE);
  listener.release();
  await idle;
  server.closeIdleConnections();
  await Promise.all([app.close(), closed]);
}

/**
 * Resolves once `event` has not occurred for `quietMs`, or no client is left that could cause it, or after `waitMs`. Resolves in a turn
 * of the event loop so short that hardly anything can have come in since the last look.
 */
async function untilQuiet(
  server: Server,
  event: 'connection' | 'request',
  clock: Clock,
  { quietMs, waitMs }: { quietMs: number; waitMs: number },
): Promise<void> {
  let count = 0;
  let lastMs = clock.monotonicMs();
  const endsMs = lastMs + waitMs;
  server.on(event, () => {
    count += 1;
    lastMs = clock.monotonicMs();
  });
  const isOver = () => clock.monotonicMs() >= Math.min(lastMs + quietMs, endsMs);
  while (!isOver() && (server.listening || (await countConnections(server)) > 0)) await pause(clock, LOOK_MS);
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const before = { count, atMs: clock.monotonicMs() };
    await new Promise((resolve) => setImmediate(resolve));
    if (count === before.count && clock.monotonicMs() - before.atMs < SHORT_TURN_MS) return;
  }
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
