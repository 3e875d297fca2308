/** Heap bytes that V8 takes at most for an object or array, for a member of an object, and for an element of an array. */
const CONTAINER_BYTES = 64;
const MEMBER_BYTES = 60;
const ELEMENT_BYTES = 8;
/** No valid JSON is more than this many times as large once it is parsed: `[{},{},…]` comes closest. */
const TIMES_MAX = 24;

/** By character code: what it stands for, in heap bytes. */
const BYTES_OF = new Uint8Array(256);
BYTES_OF['{'.charCodeAt(0)] = CONTAINER_BYTES;
BYTES_OF['['.charCodeAt(0)] = CONTAINER_BYTES;
BYTES_OF[':'.charCodeAt(0)] = MEMBER_BYTES;
BYTES_OF[','.charCodeAt(0)] = ELEMENT_BYTES;

/**
 * About how many bytes a body takes once it is parsed as JSON, beyond its text: a mebibyte of small values becomes twenty.
 * Signs within strings count as well, so it is rather too much.
 */
export function parsedBytesOf(body: Uint8Array): number {
  let bytes = 0;
  for (let at = 0; at < body.length; at += 1) bytes += BYTES_OF[body[at] ?? 0] ?? 0;
  return Math.min(bytes, body.length * TIMES_MAX);
}
