import type { FastifyRequest } from 'fastify';

/** What URLs in answers begin with: where clients reach the gateway (`PUBLIC_URL`), or else the address this one asked. */
export function addressFor(request: FastifyRequest, publicUrl: string | null): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}
