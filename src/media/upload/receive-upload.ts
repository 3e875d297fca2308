import type { IncomingMessage } from 'node:http';
import { AppError } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { bodyTooLarge } from '../../http/index.ts';
import type { Spool } from '../../spool/index.ts';
import type { DiskShare } from './disk-shares.ts';
import { FormError, type FormPart } from './form-part.ts';
import { readMultipartForm } from './multipart-form.ts';
import { boundaryOf } from './part-headers.ts';
import { readBody } from './request-body.ts';
import { FORM_BYTES_MAX, readUploadForm, type UploadForm } from './upload-form.ts';
import { readUrlencodedForm } from './urlencoded-form.ts';

const UPLOAD_TIMEOUT_MS = 120_000;

/**
 * Reads the form of an upload (api-rules#uploads), and its file to disk. Raises PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, RATE_LIMITED if
 * `share` has no space left, and MISSING_FILE for a body that is no such form. The caller judges a file that is present but invalid.
 */
export async function receiveUpload(
  deps: { clock: Clock; spool: Spool },
  request: IncomingMessage,
  share: DiskShare,
): Promise<UploadForm> {
  const read = readerOf(request.headers['content-type'] ?? '');
  if (Number(request.headers['content-length'] ?? 0) > FORM_BYTES_MAX) throw bodyTooLarge();
  const body = readBody(request, { bytesMax: FORM_BYTES_MAX, timeoutMs: UPLOAD_TIMEOUT_MS, clock: deps.clock });
  try {
    return await readUploadForm(read(share.count(body)), deps.spool);
  } catch (error) {
    if (error instanceof FormError) throw unreadable(error.message);
    throw error;
  } finally {
    await body.return(undefined);
  }
}

function readerOf(contentType: string): (body: AsyncIterable<Buffer>) => AsyncIterable<FormPart> {
  const boundary = boundaryOf(contentType);
  if (boundary !== undefined) return (body) => readMultipartForm(body, boundary);
  if (/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType)) return readUrlencodedForm;
  throw unreadable('must be multipart/form-data with a boundary, or application/x-www-form-urlencoded');
}

function unreadable(why: string): AppError {
  return new AppError('MISSING_FILE', `The form ${why}.`);
}
