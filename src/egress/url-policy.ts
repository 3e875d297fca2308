import { isIP } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';

/** Reason for refusing a URL before any look-up. A fixed vocabulary that callers may show. */
export type UrlRefusal = 'syntax' | 'scheme' | 'userinfo' | 'host' | 'port' | 'address';

/** A URL that passed the static checks. A host name in it must still be resolved and vetted. */
export interface VettedUrl {
  kind: 'ok';
  url: URL;
  /** Name or literal address, without the brackets of IPv6. */
  hostname: string;
  port: number;
  /** True if the URL needs the operator's consent: every address must be allow-listed, a public one is not enough. */
  allowListedOnly: boolean;
}

export interface RefusedUrl {
  kind: 'refused';
  reason: UrlRefusal;
}

export interface UrlPolicy {
  addresses: AddressPolicy;
  /** Ports open on public addresses. Allow-listed addresses are open on every port. */
  ports: readonly number[];
}

/** Longest URL, equal to the longest request line of common servers. Signed file URLs carry tokens of some 1,000 characters. */
const URL_CHARS_MAX = 8 * 1024;
const HOST_CHARS_MAX = 253;

/** Top-level names that lead into a private network, whatever a public resolver answers. */
const PRIVATE_SUFFIXES = ['localhost', 'local', 'localdomain', 'internal', 'intranet', 'lan', 'home', 'corp', 'arpa'];

/**
 * Static checks of an absolute http(s) URL: syntax, scheme, userinfo, host, port and literal addresses.
 * Only the WHATWG parser decides what the host is; it converts every spelling of an IPv4 address (decimal, octal, hexadecimal, short,
 * full-width) to the dotted form. With `httpsOnly`, plain http passes for allow-listed addresses only.
 */
export function vetUrl(policy: UrlPolicy, text: string, options: { httpsOnly: boolean }): VettedUrl | RefusedUrl {
  // The parser silently repairs white space and backslashes; other readers of the same text would read another URL.
  if (text.length > URL_CHARS_MAX || /[\s\\\p{Cc}]/u.test(text)) return refused('syntax');
  const url = URL.parse(text);
  if (url === null) return refused('syntax');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused('scheme');
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) return refused('syntax');
  if (authority.includes('@')) return refused('userinfo');

  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLiteral = isIP(hostname) !== 0;
  if (!isLiteral && !isHostName(hostname)) return refused('host');

  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  const port = url.port === '' ? defaultPort : Number(url.port);
  const restriction = findRestriction({ policy, url, hostname, port, isLiteral, httpsOnly: options.httpsOnly });
  const vetted: VettedUrl = { kind: 'ok', url, hostname, port, allowListedOnly: restriction !== undefined };
  if (!isLiteral) {
    return restriction === undefined || policy.addresses.hasAllowList ? vetted : refused(restriction);
  }
  const standing = policy.addresses.judge(hostname);
  if (standing === 'blocked') return refused('address');
  return restriction === undefined || standing === 'allowed' ? vetted : refused(restriction);
}

/** The reason why the URL must not lead to a public address; undefined if it may. */
function findRestriction(facts: {
  policy: UrlPolicy;
  url: URL;
  hostname: string;
  port: number;
  isLiteral: boolean;
  httpsOnly: boolean;
}): UrlRefusal | undefined {
  if (facts.httpsOnly && facts.url.protocol === 'http:') return 'scheme';
  if (!facts.isLiteral && isPrivateName(facts.hostname)) return 'host';
  if (!facts.policy.ports.includes(facts.port)) return 'port';
  return undefined;
}

function isHostName(hostname: string): boolean {
  const labels = hostname.replace(/\.$/, '').split('.');
  return hostname.length <= HOST_CHARS_MAX && labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}

/** True for names of a private network. Single labels and a trailing dot depend on the search list, private suffixes on the network. */
function isPrivateName(hostname: string): boolean {
  const lastLabel = hostname.slice(hostname.lastIndexOf('.') + 1);
  return !hostname.includes('.') || lastLabel === '' || PRIVATE_SUFFIXES.includes(lastLabel);
}

function refused(reason: UrlRefusal): RefusedUrl {
  return { kind: 'refused', reason };
}
