import type { IncomingMessage } from 'node:http';
import { invalid } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { bodyTooLarge } from '../../http/index.ts';
import type { Spool, SpooledFile } from '../../spool/index.ts';
import { BYTES_MAX } from '../file-types/media-type-table.ts';
import type { DiskShare } from './disk-shares.ts';
import { FormError } from './form-part.ts';
import { readBody } from './request-body.ts';

const PART_TIMEOUT_MS = 120_000;

/**
 * Reads a body to disk as it is. A slow client therefore holds no connection to the platform. Raises PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT,
 * RATE_LIMITED if `share` has no space left, and VALIDATION_ERROR if the body ends early.
 */
export async function receivePart(
  { clock, spool }: { clock: Clock; spool: Spool },
  request: IncomingMessage,
  share: DiskShare,
): Promise<SpooledFile> {
  const bytesMax = BYTES_MAX.document;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw bodyTooLarge();
  const body = readBody(request, { bytesMax, timeoutMs: PART_TIMEOUT_MS, clock });
  try {
    return await spool.receive(share.count(body), bytesMax);
  } catch (error) {
    if (error instanceof FormError) throw invalid('The connection ended before the request body did.');
    throw error;
  } finally {
    await body.return(undefined);
  }
}
