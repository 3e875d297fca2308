import type { Worker } from 'node:cluster';

/**
 * Closes the connection that a worker has been given and did not accept before its end. `node:cluster` leaves such a connection open, and
 * its client would wait for an answer until its own time limit. A worker is given the next connection after it accepted the last one, so
 * at most one is concerned. A connection that has been accepted is closed here already.
 */
export function closeUnaccepted(worker: Worker): void {
  const child = worker.process;
  const send = child.send.bind(child) as (...values: unknown[]) => boolean;
  let last: { close(): void } | undefined;
  child.send = (...values: unknown[]) => {
    const [message, handle] = values;
    if ((message as { act?: unknown }).act === 'newconn') last = handle as { close(): void };
    return send(...values);
  };
  worker.once('exit', () => last?.close());
}
