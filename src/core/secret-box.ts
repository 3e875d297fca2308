import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

/** Seals secrets for storage. */
export interface SecretBox {
  /**
   * Encrypts `plaintext` for one place. `context` names it (such as `organizationId|waba|wabaId`) and is required again to open. Without
   * this, a sealed value copied to another row or tenant would open there.
   */
  seal(plaintext: string, context: string): Buffer;
  /** Decrypts a sealed value. Throws if it was sealed with an unknown key or for another context, or if it was altered. */
  open(sealed: Uint8Array, context: string): string;
  /** Seals the same secret again with the current key; undefined if the value cannot be opened. */
  reseal(sealed: Uint8Array, context: string): Buffer | undefined;
  /** First bytes of every value sealed with a key, and of no value sealed with another; one mark per key, the sealing key's first. */
  readonly marks: readonly [Buffer, ...Buffer[]];
}

const VERSION = 1;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const BYTES_MIN = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;

/**
 * Creates a box that uses AES-256-GCM with 32-byte keys. The first key seals; each key opens its own values. A sealed value is
 * `version (1) | key id (4) | nonce (12) | ciphertext | tag (16)`; version, key id and context are authenticated with it. The key id
 * distinguishes a wrong key from a damaged value.
 */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const [sealing, ...older] = keys.map(readKey);
  if (sealing === undefined) throw new Error('a secret box needs a key');
  const known = [sealing, ...older];

  const box: SecretBox = {
    seal(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const { key, header } = sealing;
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(authenticated(header, context));
      return Buffer.concat([header, nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, context) {
      if (sealed.length < BYTES_MIN || sealed[0] !== VERSION) throw new Error('not a sealed value of this version');
      const sealer = known.find(({ header }) => header.equals(sealed.subarray(0, HEADER_BYTES)));
      if (sealer === undefined) {
        throw new Error('sealed with another key: is ENCRYPTION_KEY the key this database was filled with?');
      }
      const nonce = sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', sealer.key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(authenticated(sealer.header, context))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      const plaintext = decipher.update(sealed.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([plaintext, decipher.final()]).toString('utf8');
    },
    reseal(sealed, context) {
      try {
        return box.seal(box.open(sealed, context), context);
      } catch {
        return undefined;
      }
    },
    marks: [sealing.header, ...older.map(({ header }) => header)],
  };
  return box;
}

interface SealingKey {
  key: Buffer;
  header: Buffer;
}

function readKey(key: Buffer): SealingKey {
  if (key.length !== KEY_BYTES) throw new Error(`a secret box needs a key of ${KEY_BYTES} bytes, not ${key.length}`);
  const digest = hash('sha256', Buffer.concat([Buffer.from('fairway key id\0'), key]), 'buffer');
  return { key, header: Buffer.concat([Buffer.of(VERSION), digest.subarray(0, KEY_ID_BYTES)]) };
}

function authenticated(header: Buffer, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context)]);
}
