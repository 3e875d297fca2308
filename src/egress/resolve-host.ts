import { lookup, Resolver, TIMEOUT } from 'node:dns/promises';
import { Slots } from '../core/limits/slots.ts';
import type { Clock } from '../core/time/clock.ts';

/** Resolves a host name to all its IPv4 and IPv6 addresses, as text. Rejects or returns `[]` if it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * Creates the production resolver. It asks the DNS servers directly: the operating system's look-up blocks one of Node's few pool threads
 * per name, so a handful of foreign names with slow servers would stall the whole process.
 * An operator with an allow-list has private names, so `usesSystemNames` is set. A name unknown to the DNS servers then goes on to the
 * system's look-up, with its hosts file and search list. Only one such look-up runs at a time: foreign names may be slow there too,
 * and the same threads resolve the platform's own name.
 */
export function createHostResolver(options: {
  timeoutMs: number;
  usesSystemNames: boolean;
  clock: Clock;
  /** DNS servers as `address:port` instead of the system's. */
  servers?: readonly string[];
  /** Replaces the system's look-up. */
  lookUp?: ResolveHost;
}): ResolveHost {
  const { timeoutMs, usesSystemNames, clock, lookUp = lookUpInSystem } = options;
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  const slots = new Slots({ partyMax: 1 });
  const lookUpInTurn: ResolveHost = async (hostname) => {
    using slot = await slots.acquire('system', { clock, timeoutMs });
    return slot === undefined ? [] : await lookUp(hostname);
  };
  return async (hostname) => {
    // localhost is not for DNS servers (RFC 6761): silent ones would use up the time limit.
    if (usesSystemNames && hostname === 'localhost') return lookUp(hostname);
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    // Silent servers have used up the time limit, and the system would wait for the same ones.
    const isSilent = answers.some((answer) => answer.status === 'rejected' && answer.reason.code === TIMEOUT);
    return addresses.length > 0 || isSilent || !usesSystemNames ? addresses : lookUpInTurn(hostname);
  };
}

const lookUpInSystem: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);
