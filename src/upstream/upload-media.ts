import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { callGraph } from './graph/call-graph.ts';
import type { CallResult } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';
import { idField } from './graph/json-fields.ts';
import { frameMultipart } from './graph/multipart.ts';

/** A file to upload. `stream` yields exactly `bytes` bytes and is always consumed or destroyed. */
export interface UpstreamFile {
  stream: Readable;
  bytes: number;
  /** Without parameters: the platform refuses `audio/ogg; codecs=opus`. */
  mimeType: string;
  fileName: string;
}

/**
 * Uploads a file under a number (api-rules#uploads) without holding it in memory. Returns the media id, which the platform keeps for 30
 * days.
 */
export function uploadMedia(
  client: GraphClient,
  phoneNumberId: string,
  token: string,
  file: UpstreamFile,
): Promise<CallResult<string>> {
  const { mimeType, fileName } = file;
  const frame = frameMultipart(
    { fields: { messaging_product: 'whatsapp', type: mimeType }, file: { field: 'file', fileName, mimeType } },
    `fairway-${randomUUID()}`,
  );
  const contentLength = frame.head.length + file.bytes + frame.tail.length;
  return callGraph(client, {
    name: 'uploadMedia',
    method: 'POST',
    objectId: phoneNumberId,
    path: nodePath(phoneNumberId, 'media'),
    token,
    headers: ['content-type', frame.contentType, 'content-length', String(contentLength)],
    body: framedStream(frame.head, file.stream, frame.tail),
    timeoutMs: client.transferTimeoutMs,
    silenceMs: client.silenceTimeoutMs,
    read: (answer) => idField(answer, 'id'),
  });
}

function framedStream(head: Buffer, stream: Readable, tail: Buffer): Readable {
  async function* parts() {
    yield head;
    yield* stream;
    yield tail;
  }
  const framed = Readable.from(parts(), { objectMode: false });
  // A generator that never started does not close its source.
  return framed.on('close', () => stream.destroy());
}
