/** One page of a list. `next` is the `after` of the next page, null after the last one. */
export interface Page<Item> {
  data: Item[];
  next: string | null;
}

/** A list that reads its pages when they are needed: iterate over its items, or over its pages with `pages()`. */
export class PagedList<Item> implements AsyncIterable<Item> {
  readonly #read: (after: string | undefined) => Promise<Page<Item>>;
  readonly #after: string | undefined;

  constructor(read: (after: string | undefined) => Promise<Page<Item>>, after?: string) {
    this.#read = read;
    this.#after = after;
  }

  /** Reads the first page alone. */
  first(): Promise<Page<Item>> {
    return this.#read(this.#after);
  }

  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let after = this.#after;
    do {
      const page = await this.#read(after);
      yield page;
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }
}
