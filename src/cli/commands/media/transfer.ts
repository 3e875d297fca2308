export const KIB = 1024;
/** Longest download. The gateway ends it after the same time. */
export const DOWNLOAD_MS_MAX = 10 * 60 * 1000;

/** Returns a stream that passes bytes on, and reports their number so far. */
export function countBytes(report: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      report(bytes);
      controller.enqueue(chunk);
    },
  });
}
