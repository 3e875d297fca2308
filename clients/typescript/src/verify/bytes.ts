type Bytes = Uint8Array<ArrayBuffer>;

export function bytesOfText(text: string): Bytes {
  return new TextEncoder().encode(text) as Bytes;
}

/** Returns the bytes of Base64, or null if the text is something else. */
export function bytesOfBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Returns the bytes of hexadecimal digits, or null if the text is something else. */
export function bytesOfHex(text: string): Bytes | null {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}

export function concatBytes(first: Bytes, second: Bytes): Bytes {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
