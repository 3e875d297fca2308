/**
 * Copies `bytes` into memory of their own. Small buffers are mostly slices of a shared block of 64 KiB: keeping one of 100 bytes keeps
 * its whole block in memory.
 */
export function ownBytes(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
