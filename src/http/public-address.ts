import type { FastifyRequest } from 'fastify';

/**
 * Returns the base of URLs in answers: the address at which clients reach the gateway (`PUBLIC_URL`), or else the one this request used.
 */
export function addressFor(request: FastifyRequest, publicUrl: string | null): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}
