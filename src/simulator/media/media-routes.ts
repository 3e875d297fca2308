import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nodeCall } from '../edges/node-call.ts';
import { graphCalls } from '../graph/graph-calls.ts';
import { GraphError, invalidParameter, unknownObject } from '../graph/graph-errors.ts';
import { queryParameter, requireToken, tokenOf } from '../graph/graph-request.ts';
import type { JsonObject } from '../graph/json-object.ts';
import type { Platform } from '../platform.ts';
import type { MediaItem } from './media-store.ts';
import { mediaBytesMax, uploadTypes } from './media-types.ts';

/** Registers media upload, delete and download; `GET /{media_id}` is a node like any other. */
export async function registerMediaRoutes(app: FastifyInstance, platform: Platform): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // A body of another type reaches the route unread, which refuses it.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    await scope.register(multipart, { limits: { fileSize: Number.MAX_SAFE_INTEGER, files: 1 } });
    const uploading = { endpoint: 'media', bodyLimit: Number.MAX_SAFE_INTEGER } as const;
    graphCalls(scope, platform)('POST', '/:id/media', uploading, (request, id) => upload(platform, request, id));
  });

  graphCalls(app, platform)('DELETE', '/:id', { endpoint: 'media' }, async (request, id) => {
    const token = requireToken(platform, request);
    const other = nodeCall(platform, request, id);
    if (other !== undefined) return other;
    const item = platform.media.find(id);
    if (item === undefined) throw unknownObject(id, 'delete');
    platform.world.visibleNumber(item.phoneNumberId, token, 'delete');
    const asked = queryParameter(request, 'phone_number_id');
    if (asked !== undefined && asked !== item.phoneNumberId) throw unknownObject(id, 'delete');
    await platform.media.remove(id);
    return { success: true };
  });

  app.get('/whatsapp_business/attachments/', (request, reply) => download(platform, request, reply));
}

async function upload(platform: Platform, request: FastifyRequest, phoneNumberId: string): Promise<JsonObject> {
  const number = platform.world.visibleNumber(phoneNumberId, tokenOf(request));
  if (!request.isMultipart()) throw invalidParameter('The parameter file is required');
  const fields = new Map<string, string>();
  let stored: MediaItem | GraphError = invalidParameter('The parameter file is required');
  for await (const part of request.parts()) {
    if (part.type === 'file' && part.fieldname === 'file') stored = await storeFile(platform, number.id, part);
    else if (part.type === 'file') part.file.resume();
    else fields.set(part.fieldname, String(part.value));
  }
  if (stored instanceof GraphError) throw stored;
  const refusal = refusalOf(fields);
  if (refusal === null) return { id: stored.id };
  await platform.media.remove(stored.id);
  throw refusal;
}

/** Returns the error in the form's fields beside the file, or null. */
function refusalOf(fields: ReadonlyMap<string, string>): GraphError | null {
  if (fields.get('messaging_product') !== 'whatsapp') {
    return invalidParameter('The parameter messaging_product is required.');
  }
  const type = fields.get('type');
  return type === undefined || uploadTypes.has(type.toLowerCase()) ? null : unsupportedType(type);
}

/** Streams one file part into the store. Reads it to its end in any case; otherwise the answer might not reach the sender. */
async function storeFile(
  platform: Platform,
  phoneNumberId: string,
  part: MultipartFile,
): Promise<MediaItem | GraphError> {
  const mimeType = part.mimetype.toLowerCase();
  if (!uploadTypes.has(mimeType)) {
    part.file.resume();
    return unsupportedType(mimeType);
  }
  const item = await platform.media.add(
    part.file,
    { phoneNumberId, mimeType, origin: 'uploaded' },
    mediaBytesMax(mimeType),
  );
  if (item === 'empty') return invalidParameter('The parameter file is required');
  return item === 'too_large' ? tooLarge() : item;
}

function unsupportedType(mimeType: string): GraphError {
  return invalidParameter(
    `Param file must be a file with one of the following types: ${[...uploadTypes].join(', ')}. ` +
      `Received file of type '${mimeType}'.`,
  );
}

function tooLarge(): GraphError {
  return new GraphError(100, {
    message: 'Invalid parameter',
    userTitle: 'File Too Large',
    userMessage: 'The file you uploaded is too large. Choose a smaller file.',
    isTransient: false,
  });
}

async function download(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const token = requireToken(platform, request);
  const item = platform.media.redeemTicket(queryParameter(request, 'hash') ?? '');
  if (item === undefined || item.id !== queryParameter(request, 'mid')) return reply.code(404).send('');
  const number = platform.world.findNumber(item.phoneNumberId);
  if (number === undefined || platform.world.findWaba(number.wabaId)?.accessToken !== token) {
    return reply.code(404).send('');
  }
  return reply
    .type(item.mimeType)
    .header('content-length', item.bytes)
    .send(await platform.media.read(item));
}
