import { type ListedEvent, pullPage } from '../harness/events.ts';
import type { Served, Tenant } from '../harness/tenant.ts';

/** Reads the events of a tenant page after page, each from the cursor of the page before. */
export class EventReading {
  readonly #tenant: Tenant;
  readonly #events = new Map<string, ListedEvent>();
  #cursor: string | undefined;
  /** Events that were read more than once. */
  repeated = 0;

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  async readOn(gateway: Served): Promise<void> {
    for (;;) {
      const query = { limit: 100, ...(this.#cursor !== undefined && { after: this.#cursor }) };
      const { data, next } = await pullPage(gateway, this.#tenant, query);
      this.#cursor = next;
      for (const event of data) {
        if (this.#events.has(event.id)) this.repeated += 1;
        this.#events.set(event.id, event);
      }
      if (data.length === 0) return;
    }
  }

  /** Number of the read events of these messages: of all types, or of one. */
  countOf(messageIds: ReadonlySet<string>, type?: string): number {
    const events = [...this.#events.values()].filter((event) => type === undefined || event.type === type);
    return events.filter(({ data }) => messageIds.has(data.id)).length;
  }
}
