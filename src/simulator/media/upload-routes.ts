import type { FastifyInstance, FastifyRequest } from 'fastify';
import { appOfToken } from '../apps.ts';
import { graphCalls } from '../graph/graph-calls.ts';
import { GraphError, invalidParameter, unknownObject } from '../graph/graph-errors.ts';
import { pathId, queryParameter, requireToken } from '../graph/graph-request.ts';
import type { JsonObject } from '../graph/json-object.ts';
import type { Platform } from '../platform.ts';
import { sampleTypes, type UploadSession } from './upload-sessions.ts';

/** `upload:` and the session's name. In a route `::` is a colon, and the third colon begins the parameter. */
const UPLOAD_PATH = '/upload:::id';
const SAMPLE_BYTES_MAX = 100 * 1024 * 1024;

/** Registers the Resumable Upload API: start, upload, and query of the progress. */
export function registerUploadRoutes(app: FastifyInstance, platform: Platform): void {
  const uploads = { endpoint: 'uploads' } as const;
  const graph = graphCalls(app, platform);

  graph('POST', '/:id/uploads', uploads, (request) => start(platform, request));

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The route reads the stream itself: samples are counted, not stored.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const receiving = { ...uploads, bodyLimit: SAMPLE_BYTES_MAX };
    graphCalls(scope, platform)('POST', UPLOAD_PATH, receiving, (request) => receive(platform, request));
  });

  graph('GET', UPLOAD_PATH, uploads, (request) => {
    const session = sessionOf(platform, request, 'get');
    return { id: session.id, file_offset: session.receivedBytes };
  });
}

function start(platform: Platform, request: FastifyRequest): JsonObject {
  const token = requireToken(platform, request);
  // `app` names the app of the token.
  if (pathId(request) !== appOfToken(platform, token).id && pathId(request) !== 'app')
    throw unknownObject(pathId(request));
  const lengthBytes = Number(queryParameter(request, 'file_length'));
  if (!Number.isInteger(lengthBytes) || lengthBytes < 1 || lengthBytes > SAMPLE_BYTES_MAX) {
    throw invalidParameter('The parameter file_length is required and must be the size of the file in bytes.');
  }
  const fileType = queryParameter(request, 'file_type') ?? '';
  if (!sampleTypes.has(fileType)) {
    throw invalidParameter(`Param file_type must be one of {${[...sampleTypes].join(', ')}} - got "${fileType}".`);
  }
  const fileName = queryParameter(request, 'file_name') ?? 'file';
  return { id: platform.uploads.start({ token, fileType, fileName, lengthBytes }).id };
}

async function receive(platform: Platform, request: FastifyRequest): Promise<JsonObject> {
  const session = sessionOf(platform, request, 'post');
  const offset = Number(request.headers.file_offset);
  if (offset !== session.receivedBytes) {
    throw invalidParameter(`The header file_offset must be ${session.receivedBytes}.`);
  }
  for await (const chunk of request.raw) {
    session.receivedBytes += (chunk as Buffer).length;
    session.hash.update(chunk as Buffer);
  }
  if (session.receivedBytes > session.lengthBytes)
    throw invalidParameter('More bytes were sent than file_length says.');
  if (session.receivedBytes < session.lengthBytes) return { id: session.id, file_offset: session.receivedBytes };
  return { h: platform.uploads.finish(session, platform.clock.now()) };
}

/** Returns the session in a path. Requires `Authorization: OAuth` with the token that started the session. */
function sessionOf(platform: Platform, request: FastifyRequest, method: string): UploadSession {
  const token = requireUploadToken(platform, request);
  const signature = queryParameter(request, 'sig');
  const id = `upload:${pathId(request)}${signature === undefined ? '' : `?sig=${signature}`}`;
  const session = platform.uploads.find(id);
  if (session === undefined || session.token !== token) throw unknownObject(id, method);
  return session;
}

function requireUploadToken(platform: Platform, request: FastifyRequest): string {
  if (/^bearer /i.test(request.headers.authorization ?? '')) {
    throw new GraphError(190, { message: 'Invalid OAuth access token: uploads take Authorization: OAuth.' });
  }
  return requireToken(platform, request, 'OAuth');
}
