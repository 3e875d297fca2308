/** Most heap bytes V8 uses for an object or array, for a member of an object, and for an element of an array. */
const CONTAINER_BYTES = 64;
const MEMBER_BYTES = 60;
const ELEMENT_BYTES = 8;
/** Highest ratio of parsed size to text size for valid JSON; `[{},{},…]` comes closest. */
const TIMES_MAX = 24;

/** Heap bytes by character code. */
const BYTES_OF = new Uint8Array(256);
BYTES_OF['{'.charCodeAt(0)] = CONTAINER_BYTES;
BYTES_OF['['.charCodeAt(0)] = CONTAINER_BYTES;
BYTES_OF[':'.charCodeAt(0)] = MEMBER_BYTES;
BYTES_OF[','.charCodeAt(0)] = ELEMENT_BYTES;

/**
 * Estimates the bytes a body takes after parsing as JSON, beyond its text: 1 MiB of small values becomes 20.
 * Characters within strings count as well, so the estimate is rather too high.
 */
export function parsedBytesOf(body: Uint8Array): number {
  let bytes = 0;
  for (let at = 0; at < body.length; at += 1) bytes += BYTES_OF[body[at] ?? 0] ?? 0;
  return Math.min(bytes, body.length * TIMES_MAX);
}
