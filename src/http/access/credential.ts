import type { FastifyRequest } from 'fastify';

/** An API key as a request presents it. */
export interface Credential {
  /** Place of the key: `Authorization: Bearer`, `Authorization: OAuth`, or the parameter `access_token`. */
  scheme: 'bearer' | 'oauth' | 'query';
  key: string;
}

/** Returns the key that a request presents; undefined if it presents none. The header decides if the query has a key, too. */
export function credentialOf({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>): Credential | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const [, scheme, key] = /^(bearer|oauth) +(\S+)$/i.exec(authorization) ?? [];
    if (scheme === undefined || key === undefined) return undefined;
    return { scheme: scheme.toLowerCase() === 'bearer' ? 'bearer' : 'oauth', key };
  }
  const { access_token: key } = query as { access_token?: unknown };
  return typeof key === 'string' && key !== '' ? { scheme: 'query', key } : undefined;
}
