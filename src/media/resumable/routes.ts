import type { FastifyInstance } from 'fastify';
import { AppError } from '../../core/errors.ts';
import type { Slots } from '../../core/limits/slots.ts';
import { clientCallOf, sendPassed, type Uploads, uploadIdIn } from '../../edges/index.ts';
import { type Callers, callerOf } from '../../http/index.ts';
import type { Media } from '../media.ts';
import { takeSlot } from '../take-slot.ts';
import type { DiskShares } from '../upload/disk-shares.ts';
import { receivePart } from '../upload/receive-part.ts';
import { openUploadSchema, readUploadSchema, uploadPartSchema } from './schemas.ts';

interface ResumableDeps extends Pick<Media, 'clock' | 'spool'> {
  authenticate: Callers['authenticate'];
  publicUrl: string | null;
  uploads: Uploads;
  slots: Slots;
  shares: DiskShares;
}

/**
 * Registers resumable uploads, as the Cloud API has them (api-rules#resumable-uploads). `scope` must leave the bodies unread. A file waits on
 * disk until it has arrived, and then passes as it is.
 */
export function resumableRoutes(scope: FastifyInstance, deps: ResumableDeps): void {
  const { authenticate, publicUrl, uploads, slots, shares } = deps;

  scope.get('/v1/uploads/:uploadId', { schema: readUploadSchema }, async (request, reply) => {
    const upload = await uploads.get(callerOf(request).organizationId, uploadIdIn(request.url));
    return sendPassed(reply, await uploads.pass(clientCallOf(request, publicUrl), upload, null));
  });

  scope.post('/v1/uploads/:uploadId', { schema: uploadPartSchema }, async (request, reply) => {
    const { organizationId } = callerOf(request);
    const upload = await uploads.get(organizationId, uploadIdIn(request.url));
    using _slot = takeSlot(slots, organizationId);
    using share = shares.open(organizationId);
    await using file = await receivePart(deps, request.raw, share);
    // The key may have been disabled while the file arrived.
    await authenticate(request);
    return sendPassed(reply, await uploads.pass(clientCallOf(request, publicUrl), upload, file));
  });
}

/** Registers the call that opens an upload. Every id in digits names the gateway's app, as does the word `app`. */
export function openUploadRoute(
  app: FastifyInstance,
  { publicUrl, uploads }: Pick<ResumableDeps, 'publicUrl' | 'uploads'>,
): void {
  app.post('/v1/:appId/uploads', { schema: openUploadSchema }, async (request, reply) => {
    const { appId } = request.params as { appId: string };
    if (!/^(?:app|\d{1,20})$/.test(appId)) throw new AppError('NOT_FOUND', 'The id of an app has digits only.');
    return sendPassed(reply, await uploads.open(clientCallOf(request, publicUrl)));
  });
}
