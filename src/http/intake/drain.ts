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
  /** How long clients have to come with one more request and hear that their connection ends. */
  graceMs: number;
  /** How long answers may take after that. */
  answerMs: number;
  /** Called when the grace is over: has those answered who merely wait. */
  endWaiting: () => Promise<void>;
}

const LOOK_MS = 25;
/** How long nobody has to connect, or to send on a connection that was idle, and how long is waited for that. */
const CONNECTING = { quietMs: 50, waitMs: 500 };
const IDLE = { quietMs: 500, waitMs: 2_000 };
const SHORT_TURN_MS = 0.2;
const TURNS_MAX = 1_000;

/**
 * Closes the server so that no request on its way is lost. Closing at once would reset connections on which a request is just
 * arriving: so everything is served for a while yet, with `Connection: close`, until no connection is left or the grace is over.
 * After that nobody can connect any more, and what stays idle is closed.
 * Resolves when the last connection is gone; those that outlast all patience are cut off.
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
 * A listening socket that closes resets the connections it has not handed out yet, and clients told that their connection ends
 * make new ones. So requests are left without an answer for a moment: once nobody connects any more, everybody who will has been
 * let in, and the socket can close before they are answered. What is connected then and idle may still be used by a client who
 * asks nobody whether the node is ready: it is closed when no client has sent anything for a while.
 */
async function closeQuietly(app: FastifyInstance, clock: Clock): Promise<void> {
  const { server, listener } = app;
  const closed = once(server, 'close');
  listener.hold();
  await untilQuiet(server, 'connection', clock, CONNECTING);
  // Not the HTTP server's own way to close, which closes idle connections at once.
  NetServer.prototype.close.call(server);
  const idle = untilQuiet(server, 'request', clock, IDLE);
  listener.release();
  await idle;
  server.closeIdleConnections();
  await Promise.all([app.close(), closed]);
}

/**
 * Resolves once the server has told of none of these for `quietMs`, or has nobody to tell of, or after `waitMs`: in a turn of the
 * event loop so short that hardly anything can have come in since it looked.
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
