import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../core/clock.ts';
import type { Listener } from './listener.ts';

declare module 'fastify' {
  interface FastifyInstance {
    listener: Listener;
    /** The server is taking leave of its clients. */
    draining: boolean;
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
const QUIET_MS = 50;
const QUIET_MAX_MS = 500;

/** Prepares a server for `drainServer`: makes every answer of a draining one say that it is its connection's last. */
export function prepareDraining(app: FastifyInstance, listener: Listener): void {
  app.decorate('listener', listener);
  app.decorate('draining', false);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (app.draining) reply.header('connection', 'close');
    done();
  });
}

/**
 * Closes the server so that no request on its way is lost. Closing at once would reset connections on which a request is just
 * arriving: so everything is served for a while yet, with `Connection: close`, until no connection is left or the grace is over.
 * Resolves when the last connection is gone; those that outlast all patience are cut off.
 */
export async function drainServer(app: FastifyInstance, options: DrainOptions): Promise<void> {
  const { clock, graceMs, answerMs, endWaiting } = options;
  const { server } = app;
  app.draining = true;
  const graceEndsMs = clock.monotonicMs() + graceMs;
  while (clock.monotonicMs() < graceEndsMs && (await countConnections(server)) > 0) await pause(clock, LOOK_MS);
  const cancel = clock.schedule(answerMs, () => server.closeAllConnections());
  await Promise.all([endWaiting(), graceMs > 0 ? closeQuietly(app, clock) : app.close()]);
  cancel();
}

/**
 * A listening socket that closes resets the connections it has not handed out yet, and clients told that their connection ends
 * make new ones. So requests are left without an answer for a moment: once nobody connects any more, everybody who will has been
 * let in, and the socket can close before they are answered.
 */
async function closeQuietly(app: FastifyInstance, clock: Clock): Promise<void> {
  const { server, listener } = app;
  let lastMs = clock.monotonicMs();
  const endsMs = lastMs + QUIET_MAX_MS;
  server.on('connection', () => {
    lastMs = clock.monotonicMs();
  });
  listener.hold();
  while (clock.monotonicMs() < Math.min(lastMs + QUIET_MS, endsMs)) await pause(clock, LOOK_MS);
  const closed = app.close();
  while (server.listening) await new Promise((resolve) => setImmediate(resolve));
  listener.release();
  await closed;
}

function pause(clock: Clock, durationMs: number): Promise<void> {
  return new Promise((resolve) => clock.schedule(durationMs, resolve));
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
