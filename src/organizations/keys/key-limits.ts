import { BlockList, isIPv6 } from 'node:net';
import { bitsOf, type KeyLimits } from '../../http/index.ts';

/** Limits of a key as they are stored; `null` does not limit. */
export interface StoredLimits {
  scopes: string[] | null;
  phoneNumberIds: string[] | null;
  /** Address ranges in CIDR notation. */
  sourceRanges: string[] | null;
  expiresAt: Date | null;
  messagesPerMinute: number | null;
}

/** Returns the limits of a key in the form in which every request is judged; `null` for a key without any. */
export function limitsOf(stored: StoredLimits): KeyLimits | null {
  if (Object.values(stored).every((limit) => limit === null)) return null;
  const { scopes, phoneNumberIds, sourceRanges, expiresAt, messagesPerMinute } = stored;
  return {
    scopes: scopes && bitsOf(scopes),
    phoneNumberIds: phoneNumberIds && new Set(phoneNumberIds),
    sources: sourceRanges && blockListOf(sourceRanges),
    expiresAtMs: expiresAt?.getTime() ?? null,
    messagesPerMinute,
  };
}

/** IPv4 ranges also hold the IPv6 spellings of their addresses. */
function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}
