import { finished } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SendingNumber } from '../accounts/index.ts';
import { AppError, invalid } from '../core/errors.ts';
import { Slots } from '../core/limits/slots.ts';
import { type PassNode, type Uploads, withPassedAnswers } from '../edges/index.ts';
import { allowSlowBody, type Callers, callerOf, type Query, readFirstText } from '../http/index.ts';
import { fileNameParameters } from '../upstream/index.ts';
import type { Media } from './media.ts';
import { deleteMedia } from './objects/delete-media.ts';
import type { MediaSelector } from './objects/find-media.ts';
import { isWord } from './objects/media-references.ts';
import { openMedia } from './objects/open-media.ts';
import { openUploadRoute, resumableRoutes } from './resumable/routes.ts';
import { cloudUploadSchema, deleteSchema, downloadSchema, uploadSchema } from './schemas.ts';
import { takeSlot } from './take-slot.ts';
import { type CheckedFile, checkFile } from './upload/check-file.ts';
import { DiskShares } from './upload/disk-shares.ts';
import { receiveUpload } from './upload/receive-upload.ts';
import { discardRest } from './upload/request-body.ts';
import type { UploadForm } from './upload/upload-form.ts';
import { uploadMedia } from './upload/upload-media.ts';

/** Each upload holds a file of up to 100 MiB on disk, and less than 1 MiB in memory. */
const UPLOADS = { max: 128, partyMax: 64 };
/** Each download holds a connection to the upstream for as long as its client takes. */
const DOWNLOADS = { max: 96, partyMax: 24 };
const DOWNLOAD_TIMEOUT_MS = 10 * 60 * 1000;

interface MediaRouteDeps extends Media {
  authenticate: Callers['authenticate'];
  passNode: PassNode;
  /** Base URL for clients; `null` uses the address of each request. */
  publicUrl: string | null;
  uploads: Uploads;
}

/**
 * Registers uploads (api-rules#uploads), also as the Cloud API spells them, download and deletion. `GET /v1/{media_id}` is a node like
 * any other and is registered with the nodes.
 */
export async function mediaRoutes(app: FastifyInstance, deps: MediaRouteDeps): Promise<void> {
  await app.register(async (scope) => uploadRoutes(scope, deps));
  openUploadRoute(app, deps);

  const deleteNodeSchema = {
    ...deleteSchema,
    summary: 'Delete a file, a flow or a group',
    response: withPassedAnswers(deleteSchema.response),
  };
  const downloads = new Slots(DOWNLOADS);
  app.get('/v1/media/:id/download', { schema: downloadSchema, exposeHeadRoute: false }, (request, reply) =>
    download(deps, downloads, request, reply),
  );

  app.delete('/v1/:id', { schema: deleteNodeSchema }, async (request, reply) => {
    const media = mediaSelectorOf(request);
    // Every other path of one segment ends here, too.
    if (isWord(media.mediaId)) return reply.callNotFound();
    const exchange = { request, reply };
    const passed = await deps.passNode(exchange, media.mediaId, ['flow', 'group']);
    if (passed !== undefined) return passed;
    try {
      await deleteMedia(deps, media);
    } catch (error) {
      // A flow or a group that was made elsewhere.
      const isAbsent = error instanceof AppError && error.code === 'NOT_FOUND';
      const late = isAbsent
        ? await deps.passNode(exchange, media.mediaId, ['flow', 'group'], { asksPlatform: true })
        : undefined;
      if (late === undefined) throw error;
      return late;
    }
    return { success: true };
  });
}

/** Returns the media object that a request with `:id` in its path selects. */
function mediaSelectorOf(request: FastifyRequest): MediaSelector {
  const { id: mediaId } = request.params as { id: string };
  const phoneNumberId = readFirstText(request.query as Query, 'phone_number_id');
  return { organizationId: callerOf(request).organizationId, mediaId, phoneNumberId };
}

function uploadRoutes(scope: FastifyInstance, deps: MediaRouteDeps): void {
  const { clock, accounts, authenticate } = deps;
  const slots = new Slots(UPLOADS);
  const shares = new DiskShares(() => deps.spool.freeBytes());
  // The routes themselves read the bodies as they arrive.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.addHook('onRequest', (request, reply, done) => {
    const restoreLimit = allowSlowBody(request);
    reply.raw.once('close', restoreLimit);
    done();
  });
  // A refusal may be answered before the body has arrived completely.
  scope.addHook('onResponse', (request, _reply, done) => {
    discardRest(request.raw, clock);
    done();
  });

  resumableRoutes(scope, { ...deps, slots, shares });

  const upload = async (
    request: FastifyRequest,
    check: (form: UploadForm) => Promise<CheckedFile>,
    findNumber: (organizationId: string, form: UploadForm) => Promise<SendingNumber>,
  ) => {
    const { organizationId } = callerOf(request);
    using _slot = takeSlot(slots, organizationId);
    using share = shares.open(organizationId);
    await using form = await receiveUpload(deps, request.raw, share);
    // The key may have been disabled while the file arrived.
    await authenticate(request);
    const file = await check(form);
    const mediaId = await uploadMedia(deps, await findNumber(organizationId, form), file);
    return { mediaId, mimeType: file.mimeType, bytes: file.contents.bytes };
  };

  scope.post(
    '/v1/media/upload',
    { schema: uploadSchema, config: { failureCode: 'UPLOAD_FAILED' } },
    async (request) => {
      const { mediaId, mimeType, bytes } = await upload(request, checkUpload, async (organizationId, { fields }) => {
        const digits = fields.phone_number ?? '';
        const number = isDigits(digits) ? await accounts.findNumberByDigits(organizationId, digits) : undefined;
        if (number === undefined)
          throw new AppError(
            'ACCOUNT_NOT_FOUND',
            'There is no connected number with these digits: "phone_number" is the number itself, with country code and without "+".',
          );
        return number;
      });
      return { media_id: mediaId, mime_type: mimeType, bytes };
    },
  );

  scope.post(
    '/v1/:phoneNumberId/media',
    { schema: cloudUploadSchema, config: { failureCode: 'UPLOAD_FAILED' } },
    async (request) => {
      const { phoneNumberId } = request.params as { phoneNumberId: string };
      const { mediaId } = await upload(request, checkCloudUpload, async (organizationId) =>
        accounts.getNumber(organizationId, phoneNumberId),
      );
      return { id: mediaId };
    },
  );
}

function checkUpload({ fields, file }: UploadForm): Promise<CheckedFile> {
  if (!fields.phone_number) {
    throw new AppError('MISSING_PHONE_NUMBER', '"phone_number" is missing: the digits of the sending number.');
  }
  return checkFile(file, { fileName: fields.filename, declaredMime: undefined });
}

function checkCloudUpload({ fields, file }: UploadForm): Promise<CheckedFile> {
  if (fields.messaging_product !== undefined && fields.messaging_product !== 'whatsapp') {
    throw invalid('"messaging_product" must be "whatsapp".');
  }
  return checkFile(file, { fileName: fields.filename, declaredMime: fields.type });
}

function isDigits(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}

async function download(
  deps: Media,
  downloads: Slots,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const slot = takeSlot(downloads, callerOf(request).organizationId);
  const opening = openMedia(deps, mediaSelectorOf(request));
  // The slot is also released if the client disconnects, but not before the opening has ended, which a disconnect does not stop.
  const over = new Promise<void>((resolve) => finished(reply.raw, () => resolve()));
  void Promise.allSettled([opening, over]).then(() => slot[Symbol.dispose]());
  const { stream, mimeType, bytes, fileName } = await opening;
  const cancel = deps.clock.schedule(DOWNLOAD_TIMEOUT_MS, () => stream.destroy());
  stream.once('close', cancel);
  if (bytes !== undefined) reply.header('content-length', bytes);
  return reply
    .headers({
      'content-type': mimeType,
      'content-disposition': `attachment; ${fileNameParameters(fileName)}`,
      // A file from a stranger must never run as a page of this origin.
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
    })
    .send(stream);
}
