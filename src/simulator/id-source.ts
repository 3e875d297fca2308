import { randomBytes } from 'node:crypto';

/**
 * Creates the ids of one simulated platform. Ids never depend on the seed. A gateway's database may outlive many simulators, and a repeated
 * wamid or template id would look like a duplicate.
 */
export class IdSource {
  readonly #run = randomBytes(5).toString('hex').toUpperCase();
  readonly #traceRun = `A${randomBytes(12).toString('base64url')}`;
  #traces = 0;
  #messages = 0;
  // 15 digits, within 2^53, because webhooks carry template ids as JSON integers.
  #objects = 100_000_000_000_000 + (randomBytes(6).readUIntBE(0, 6) % 800_000_000_000_000);

  /** Returns a message id: base64 over the recipient and a unique part, like the platform's own. */
  wamid(recipient: string): string {
    this.#messages += 1;
    const unique = `${this.#run}${this.#messages.toString(16).toUpperCase().padStart(10, '0')}`;
    return `wamid.${Buffer.from(`\x1d\x18${String.fromCharCode(recipient.length)}${recipient}\x15\x02\x00\x11\x18\x14${unique}\x00`, 'latin1').toString('base64')}`;
  }

  /** Returns the numeric id of a template, a media object or a business. */
  objectId(): string {
    this.#objects += 1;
    return String(this.#objects);
  }

  /** Returns an id unique per answer. Must be cheap, because every request needs several. */
  traceId(): string {
    this.#traces += 1;
    return this.#traceRun + this.#traces.toString(36).padStart(6, '0');
  }

  /** Returns an opaque token of `bytes` random bytes, safe inside a URL. */
  opaque(bytes: number): string {
    return randomBytes(bytes).toString('base64url');
  }
}
