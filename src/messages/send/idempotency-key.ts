import { invalid } from '../../core/errors.ts';

/**
 * Reads an `Idempotency-Key` header (api-rules#idempotency): 1 to 255 printable ASCII characters, quoted or bare. The quotes are not part
 * of the key. Returns undefined if the header is absent. Raises VALIDATION_ERROR.
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const raw = Array.isArray(header) ? header.join(', ') : header;
  const key = raw.length >= 2 && raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1) : raw;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalid('The Idempotency-Key header must be 1 to 255 printable ASCII characters.');
  }
  return key;
}

/** Reads the `sync` query parameter (api-rules#sending): true/1, false/0 or absent. Raises VALIDATION_ERROR for anything else. */
export function readSync(value: unknown): boolean {
  if (value === undefined || value === 'false' || value === '0') return false;
  if (value === 'true' || value === '1') return true;
  throw invalid('The query parameter "sync" must be true or false, in small letters.');
}
