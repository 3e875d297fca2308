import { Pool } from 'undici';
import type { Clock } from '../core/clock.ts';
import type { GraphClient, UpstreamLog } from './graph-client.ts';
import { type SendRequest, sendMessage } from './send-message.ts';
import type { SendOutcome } from './send-outcome.ts';

export interface UpstreamOptions {
  /** Graph API base including the version, e.g. `https://graph.facebook.com/v24.0`. */
  baseUrl: string;
  clock: Clock;
  log: UpstreamLog;
  /** Simultaneous connections, hence requests in flight: about rate times latency (350 ms). 256 unless told. */
  connectionsMax?: number;
}

/** The only door to the platform. No call throws or rejects for anything the platform or the network does. */
export interface Upstream {
  sendMessage(request: SendRequest): Promise<SendOutcome>;
  /** Refuses new calls, gives those in flight `graceMs` to end, then cuts them off. */
  close(graceMs?: number): Promise<void>;
}

export function createUpstream(options: UpstreamOptions): Upstream {
  const { origin, pathname } = new URL(options.baseUrl);
  const dispatcher = new Pool(origin, {
    connections: options.connectionsMax ?? 256,
    connectTimeout: 5_000,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
    keepAliveTimeoutThreshold: 2_000,
  });
  const client: GraphClient = {
    dispatcher,
    clock: options.clock,
    log: options.log,
    origin,
    basePath: pathname.replace(/\/+$/, ''),
    transferTimeoutMs: 300_000,
  };
  return {
    sendMessage: (request) => sendMessage(client, request),
    async close(graceMs = 10_000) {
      const { promise: cutOff, resolve } = Promise.withResolvers<void>();
      const cancel = options.clock.schedule(graceMs, () => resolve(dispatcher.destroy()));
      // close() never ends when destroy() overtakes it, so whichever ends first counts.
      await Promise.race([dispatcher.close(), cutOff]);
      cancel();
    },
  };
}
