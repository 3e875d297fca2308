import type { AnswerOf, Schema } from '../api-shapes.ts';
import type { CallOptions, Transport } from '../transport/transport.ts';
import { wait } from '../transport/wait.ts';
import { type WaitOptions, withinTime } from '../waiting.ts';

export type Erasure = Schema<'Erasure'>;

/** Everything that is stored about a person. */
export type PersonData = Omit<AnswerOf<'exportPerson'>, 'next'>;

const POLL_MS = 500;

/** Exports and erases people's data. A person is named by a phone number with country code, or by a user id. */
export class People {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Reads everything that is stored about a person, page after page. */
  async export(person: string, options?: CallOptions): Promise<PersonData> {
    const path = `/v1/people/${encodeURIComponent(person)}/data`;
    const read = (after?: string) =>
      this.#transport.body<AnswerOf<'exportPerson'>>({ ...options, method: 'GET', path, query: { after } });
    const { next, ...data } = await read();
    for (let after = next; after !== null; ) {
      const page = await read(after);
      data.messages.push(...page.messages);
      after = page.next;
    }
    return data;
  }

  /** Begins to erase a person for good. Returns the receipt; `waitFor` waits for the end. */
  erase(person: string, options?: CallOptions): Promise<AnswerOf<'erasePerson'>> {
    return this.#transport.body({ ...options, method: 'DELETE', path: `/v1/people/${encodeURIComponent(person)}` });
  }

  /** Reads the state of an erasure by the id of its receipt. */
  erasure(id: string, options?: CallOptions): Promise<Erasure> {
    return this.#transport.body({ ...options, method: 'GET', path: `/v1/erasures/${encodeURIComponent(id)}` });
  }

  /**
   * Polls an erasure until it is done, and returns it.
   * @throws WaitTimeoutError; the erasure goes on then
   */
  waitFor(id: string, limits: WaitOptions = {}): Promise<Erasure> {
    return withinTime(limits, `Erasure ${id}`, async (signal) => {
      for (;;) {
        const erasure = await this.erasure(id, { signal });
        if (erasure.status === 'done') return erasure;
        await wait(POLL_MS, signal);
      }
    });
  }
}
