import { lookup, Resolver } from 'node:dns/promises';

/** Resolves a host name to every IPv4 and IPv6 address it has, as text. Rejects, or answers `[]`, when it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * The production resolver. It asks the DNS servers directly: the operating system's look-up blocks one of Node's few
 * pool threads per name, so that a handful of foreign names with slow servers would stall the whole process.
 * Only with `usesSystemNames` (an operator with an allow-list, hence with private names) does a name unknown to the DNS
 * servers go on to the system's look-up with its hosts file and search list.
 */
export function createHostResolver(options: {
  timeoutMs: number;
  usesSystemNames: boolean;
  /** DNS servers as `address:port` instead of the system's. */
  servers?: readonly string[];
}): ResolveHost {
  const resolver = new Resolver({ timeout: Math.ceil(options.timeoutMs / 2), tries: 2 });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  const lookUp = async (hostname: string) => (await lookup(hostname, { all: true })).map(({ address }) => address);
  return async (hostname) => {
    // DNS servers have no part in it (RFC 6761): silent ones would use up the time.
    if (options.usesSystemNames && hostname === 'localhost') return lookUp(hostname);
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    return addresses.length > 0 || !options.usesSystemNames ? addresses : lookUp(hostname);
  };
}
