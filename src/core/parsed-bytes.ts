const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Heap bytes that V8 takes at most for an object or array, for a member of an object, and for an element of an array. */
const CONTAINER_BYTES = 64;
const MEMBER_BYTES = 60;
const ELEMENT_BYTES = 8;
/** No valid JSON is more than this many times as large once it is parsed: `[{},{},…]` comes closest. */
const TIMES_MAX = 24;

/**
 * About how many bytes a body takes once it is parsed as JSON, beyond its text: a mebibyte of small values becomes twenty.
 * Signs within strings count as well, so it is rather too much.
 */
export function parsedBytesOf(body: Uint8Array): number {
  let bytes = 0;
  for (const code of body) {
    if (code === COMMA) bytes += ELEMENT_BYTES;
    else if (code === COLON) bytes += MEMBER_BYTES;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) bytes += CONTAINER_BYTES;
  }
  return Math.min(bytes, body.length * TIMES_MAX);
}
