import type { Readable } from 'node:stream';
import { sendUninstrumented } from '../telemetry/index.ts';
import { callGraph, readSuccess } from './graph/call-graph.ts';
import {
  type CallFailure,
  type CallResult,
  failureOf,
  malformedTokenFailure,
  unavailable,
} from './graph/call-result.ts';
import { decompressed } from './graph/decode-answer.ts';
import { graphErrorOf, platformErrorOf } from './graph/errors/graph-error.ts';
import { type Answered, connectionFailureOf } from './graph/exchange.ts';
import { baseHeaders, callTimeoutMs, type GraphClient, isSendableToken, nodePath } from './graph/graph-client.ts';
import { idField, numberField, parseJsonObject, textField } from './graph/json-fields.ts';

/** A media object as the platform describes it; `url` serves its bytes for five minutes. */
export interface UpstreamMedia {
  id: string;
  url: string;
  mimeType: string | null;
  /** In hex or base64; the platform uses both. */
  sha256: string | null;
  bytes: number | null;
}

/** A file in transit. The receiver must consume or destroy `stream`, which fails if the connection fails. */
export interface MediaDownload {
  stream: Readable;
  mimeType: string | null;
  bytes: number | null;
}

/** Reads the address and type of a media object. With `phoneNumberId`, another number's object counts as unknown. */
export function getMedia(
  client: GraphClient,
  mediaId: string,
  token: string,
  phoneNumberId: string | undefined,
): Promise<CallResult<UpstreamMedia>> {
  return callGraph(client, {
    name: 'getMedia',
    method: 'GET',
    objectId: mediaId,
    path: nodePath(mediaId),
    ...(phoneNumberId !== undefined && { query: { phone_number_id: phoneNumberId } }),
    token,
    read: (answer) => {
      const url = textField(answer, 'url');
      if (url === null) return null;
      return {
        id: idField(answer, 'id') ?? mediaId,
        url,
        mimeType: textField(answer, 'mime_type'),
        sha256: textField(answer, 'sha256'),
        bytes: numberField(answer, 'file_size'),
      };
    },
  });
}

/** Deletes a media object. An unknown object, or another number's, is `rejected`. */
export function deleteMedia(
  client: GraphClient,
  mediaId: string,
  token: string,
  phoneNumberId: string | undefined,
): Promise<CallResult<true>> {
  return callGraph(client, {
    name: 'deleteMedia',
    method: 'DELETE',
    objectId: mediaId,
    path: nodePath(mediaId),
    ...(phoneNumberId !== undefined && { query: { phone_number_id: phoneNumberId } }),
    token,
    read: readSuccess,
  });
}

/**
 * Opens the file behind a media object's `url`. The request carries the token, so the address must be https, the platform's own origin, or
 * on this machine if the platform is too. No redirect is followed.
 */
export async function downloadMedia(
  client: GraphClient,
  url: string,
  token: string,
): Promise<CallResult<MediaDownload>> {
  const address = findAllowedUrl(client, url);
  if (address === null) return unavailable('url_refused', { mayHaveHappened: false });
  if (!isSendableToken(client, token)) return malformedTokenFailure();
  const { origin, pathname, search } = address;
  const result = await openDownload(client, origin, pathname + search, token);
  if (result.kind !== 'ok')
    client.log.info({ call: 'downloadMedia', origin, kind: result.kind }, 'upstream call failed');
  return result;
}

function findAllowedUrl(client: GraphClient, url: string): URL | null {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || address.username !== '' || address.password !== '') return null;
  return address.protocol === 'https:' || address.origin === client.origin || isLocal(client, address) ? address : null;
}

/** True if the platform is a stand-in on this machine and the file is at another local port. The token then stays on the machine. */
function isLocal(client: GraphClient, address: URL): boolean {
  return [address, new URL(client.origin)].every(
    ({ protocol, hostname }) => protocol === 'http:' && LOOPBACK.has(hostname),
  );
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

async function openDownload(
  client: GraphClient,
  origin: string,
  path: string,
  token: string,
): Promise<CallResult<MediaDownload>> {
  try {
    const { statusCode, headers, body } = await sendUninstrumented(() =>
      client.downloads.request({
        origin,
        path,
        method: 'GET',
        headers: baseHeaders(token),
        headersTimeout: callTimeoutMs,
        bodyTimeout: client.silenceTimeoutMs,
      }),
    );
    if (statusCode !== 200) {
      const explanation = await readStart(body);
      return refusalOf(client, { kind: 'answered', httpStatus: statusCode, headers, body: explanation }, token);
    }
    const length = Number(headers['content-length'] ?? Number.NaN);
    const type = headers['content-type'];
    const mimeType = typeof type === 'string' ? type : null;
    const file = decompressed(body, String(headers['content-encoding'] ?? 'identity'));
    if (file !== undefined) return { kind: 'ok', value: { stream: file, mimeType, bytes: null } };
    const bytes = Number.isSafeInteger(length) ? length : null;
    return { kind: 'ok', value: { stream: body, mimeType, bytes } };
  } catch (error) {
    return unavailable(connectionFailureOf(error), { mayHaveHappened: false });
  }
}

/** Derives the failure from the HTTP status if needed, because the file hosts answer without a platform error. */
function refusalOf(client: GraphClient, answered: Answered, token: string): CallFailure {
  const error = platformErrorOf(parseJsonObject(answered.body.toString('utf8')), token);
  const implied = impliedErrors[answered.httpStatus];
  return failureOf(error ?? graphErrorOf(implied), answered, { objectId: '', nowMs: client.clock.now() });
}

const notAllowed = { code: 10, message: 'The token may not read this file.' };
const gone = { code: 803, message: 'The file does not exist or its URL has expired.' };
const impliedErrors: Readonly<Record<number, object>> = { 401: notAllowed, 403: notAllowed, 404: gone, 410: gone };

const explanationBytesMax = 64 * 1024;

async function readStart(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > explanationBytesMax) break;
  }
  return Buffer.concat(chunks);
}
