import { hash } from 'node:crypto';

/** SHA-256 of a string's UTF-8 bytes. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
