import { hash } from 'node:crypto';

/** SHA-256 of a string's UTF-8 bytes. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** SHA-256 in hex, of bytes or of a string's UTF-8 bytes. Three times as fast as encoding the result of `sha256`. */
export function sha256Hex(content: string | Buffer): string {
  return hash('sha256', content, 'hex');
}
