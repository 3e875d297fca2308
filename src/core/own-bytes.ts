/**
 * A copy of `bytes` in memory of its own. Small buffers are mostly slices of a block of 64 KiB that they share: whoever keeps one of a
 * hundred bytes keeps all of its block.
 */
export function ownBytes(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
