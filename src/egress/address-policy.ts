import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `public`: open to everyone. `allowed`: opened by the operator's allow-list. `blocked`: never connected to. */
type AddressStanding = 'public' | 'allowed' | 'blocked';

export interface AddressPolicy {
  /** False if no range is allow-listed; then only public addresses can pass. */
  readonly hasAllowList: boolean;
  /** Judges one IPv4 or IPv6 address in text form; anything else is `blocked`. */
  judge(address: string): AddressStanding;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** The only block of IPv6 in which IANA has assigned global unicast addresses (RFC 4291, IANA registry). */
const IPV6_GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Addresses in public space that still lead inside: Azure's metadata and health endpoint. */
const INSIDE_PUBLIC_SPACE = ['168.63.129.16/32'];

/**
 * Builds the rule that decides which addresses may be connected to.
 *
 * Public means globally reachable unicast by IANA's special-purpose registries. `denyCidrs` narrows that further (the machine's own
 * addresses, the database). `allowCidrs` is the operator's decision and overrides everything else. An IPv4-mapped IPv6 address is judged
 * as the IPv4 address it reaches; every other embedding (NAT64, 6to4, Teredo, IPv4-compatible) is refused as a whole.
 *
 * @throws TypeError naming every entry that is not `address/prefix`.
 */
export function createAddressPolicy(ranges: {
  allowCidrs: readonly string[];
  denyCidrs: readonly string[];
}): AddressPolicy {
  const allowed = parseRanges(ranges.allowCidrs);
  const denied = parseRanges([...INSIDE_PUBLIC_SPACE, ...ranges.denyCidrs]);
  return {
    hasAllowList: allowed.length > 0,
    judge(text) {
      if (isIP(text) === 0) return 'blocked';
      const address = ipaddr.process(text);
      if (isWithin(address, allowed)) return 'allowed';
      return isGloballyReachable(address) && !isWithin(address, denied) ? 'public' : 'blocked';
    },
  };
}

function isGloballyReachable(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(IPV6_GLOBAL_UNICAST);
}

function isWithin(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([base, prefix]) => base.kind() === address.kind() && address.match(base, prefix));
}

function parseRanges(cidrs: readonly string[]): Range[] {
  const wrong = cidrs.filter((cidr) => !isAddressRange(cidr));
  if (wrong.length > 0) throw new TypeError(`not a CIDR range: ${wrong.join(', ')}`);
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
}

/** True for a range an allow-list can hold: `address/prefix`, with an unambiguous address. */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  const family = isIP(address);
  // A mapped range would never match: mapped addresses are judged as IPv4.
  if (family === 0 || rest.length > 0 || (family === 6 && ipaddr.IPv6.parse(address).isIPv4MappedAddress()))
    return false;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}
