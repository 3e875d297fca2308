/** The public API of one organization, called with its API key. Every method rejects with GatewayError. */
export interface Gateway {
  /** Base URL without a trailing slash. */
  url: string;
  get<Answer>(path: string, query?: Readonly<Record<string, string | number | undefined>>): Promise<Answer>;
  /** Reads a page of the reference as Markdown. */
  getText(path: string): Promise<string>;
  /** Sends JSON. The idempotency key makes repetitions safe. */
  post<Answer>(path: string, body: unknown, idempotencyKey: string): Promise<Answer>;
}

/** An answer other than 2xx, or no answer. `message` never holds the key. */
export class GatewayError extends Error {
  /** Members of the error's body, such as `code`, `doc_url` and `request_id`. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GatewayError';
    this.facts = facts;
  }
}
