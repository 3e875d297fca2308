import { createHash } from 'node:crypto';
import { membersOf, readStoredJson } from '../../core/json/index.ts';

/** The id of an upload, which the platform takes as a path with a query of its own: `upload:…?sig=…`. */
const UPLOAD_ID = /^upload:[0-9A-Za-z_=:.~+-]{1,1024}(?:\?[0-9A-Za-z_=&.~%+-]{1,1024})?$/;

/** Path of an upload behind which its id stands, as `http/` rewrites the Cloud API's spelling. */
const PLACE = '/v1/uploads/';

/**
 * Returns the id of the upload that a request's URL names, without the client's token. The id's own query may stand in the URL's query, as at
 * the platform, or encoded in the path. Undefined if the URL names no upload.
 */
export function uploadIdIn(url: string): string | undefined {
  const [path = '', query = ''] = splitOnce(url, '?');
  const signature = query
    .split('&')
    .filter((parameter) => parameter !== '' && !parameter.startsWith('access_token='))
    .join('&');
  try {
    const id = decodeURIComponent(path.slice(PLACE.length)) + (signature === '' ? '' : `?${signature}`);
    return path.startsWith(PLACE) && UPLOAD_ID.test(id) ? id : undefined;
  } catch {
    // A percent sign that encodes nothing.
    return undefined;
  }
}

/** Returns the id of a new upload in the platform's answer; undefined if it has none. */
export function openedUploadId(answer: Buffer): string | undefined {
  try {
    const { id } = membersOf(readStoredJson(answer.toString('utf8')).value);
    return typeof id === 'string' && UPLOAD_ID.test(id) ? id : undefined;
  } catch {
    // The platform answered with something else than a JSON object.
    return undefined;
  }
}

/** Returns the text under which the owner of an upload is stored. The id itself is signed: it is a secret. */
export function storedNameOf(uploadId: string): string {
  return createHash('sha256').update(uploadId).digest('base64url');
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
