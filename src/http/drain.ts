import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../core/clock.ts';

declare module 'fastify' {
  interface FastifyInstance {
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

/** Makes every answer of a draining server say that it is its connection's last. */
export function announceDraining(app: FastifyInstance): void {
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
  app.draining = true;
  const graceEndsMs = clock.monotonicMs() + graceMs;
  while (clock.monotonicMs() < graceEndsMs && (await countConnections(app.server)) > 0) {
    await new Promise<void>((resolve) => clock.schedule(LOOK_MS, resolve));
  }
  const cancel = clock.schedule(answerMs, () => app.server.closeAllConnections());
  await Promise.all([endWaiting(), app.close()]);
  cancel();
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
