/** Events that some run must reach: faults that have to fire, rare paths that have to be taken. */
export const SITES = [
  'statement refused',
  'statement cancelled after its work',
  'connection lost before a statement arrived',
  'answer of a commit lost',
  'commit after its client had given up',
  'statement slow',
  'lock waited for',
  'deadlock',
  'database restarted',
  'link to the database stalled',
  'gateway killed',
  'gateway stopped cleanly',
  'gateway paused',
  'gateway paused beyond its lease',
  'shards taken over',
  'journal taken over',
  'number taken over with many flows',
  'fence refused',
  'journaled as it was accepted',
  'message withheld before its first byte',
  'upstream unreachable',
  'request lost on its way',
  'answer lost on its way back',
  'upstream slow',
  'upstream unavailable',
  'upstream rejected',
  'number throttled',
  'waba throttled',
  'app throttled',
  'burst of a pair used up',
  'status early',
  'early status applied',
  'status late',
  'status lost',
  'status told twice',
  'statuses told together',
  'webhook refused and told again',
  'outcome held',
  'hold settled by a status',
  'hold ended and sent again',
  'outcome failed as unknown',
  'copy at the upstream after an unknown outcome',
  'message expired',
  'message cancelled',
  'cancelled too late',
  'not cancelled for its unknown outcome',
  'unknown outcome of a cancelled message',
  'number paused',
  'pause found as a message was journaled',
  'number slowed down',
  'number sped up',
  'level of a number raised',
  'level of a number lowered',
  'refused beyond a level that was lowered',
  'credential blocked',
  'waba blocked',
  'number blocked',
  'went on beside a throttled account',
  'token replaced',
  'account read again',
  'account disconnected',
  'account connected again',
  'account connected by another organization',
  'number connected anew waits for what was sent before',
  'sent from a number connected anew',
  'sent from a number released since',
  'message ended with its account',
  'key told twice at once',
  'key replayed',
  'key used for another body',
  'sync answered with its wamid',
  'sync answered with its failure',
  'sync ran out of time',
  'request in doubt stored after all',
  'discovered on another node',
  'plan used up',
  'inbound opened a window',
  'taken at the marketing edge',
  'road refused',
  'road changed after a refusal',
  'unknown outcome ended for its road',
  'setting of marketing messages changed',
  'admission of an account changed',
  'category of a template moved',
  'sent to a user id',
  'name given up by its person',
  'person hid the number',
  'number changed',
  'user id changed',
  'number passed to another person',
  'number parted from a person',
  'number passed to another person while a message waited',
  'people merged',
  'merge put off by waiting messages',
  'number named before it is merged',
  'merge waited for sends that were being stored',
  'send stored beside a merge',
  'send waited for a merge',
  'pair debts of merged people added',
  'order kept over two names',
  'queue of a merged person taken over',
] as const;

export type Site = (typeof SITES)[number];

/** Counts how often each site was reached. */
export class Coverage {
  readonly #counts = new Map<Site, number>();

  /** Restores a coverage from the `counts` of another thread's coverage. */
  static of(counts: readonly [Site, number][]): Coverage {
    const coverage = new Coverage();
    for (const [site, count] of counts) coverage.#counts.set(site, count);
    return coverage;
  }

  hit(site: Site): void {
    this.#counts.set(site, this.count(site) + 1);
  }

  count(site: Site): number {
    return this.#counts.get(site) ?? 0;
  }

  /** Returns every site that was reached, with its count. */
  counts(): [Site, number][] {
    return [...this.#counts];
  }

  add(other: Coverage): void {
    for (const [site, count] of other.#counts) this.#counts.set(site, this.count(site) + count);
  }

  /** Returns the sites that were never reached. */
  missing(): Site[] {
    return SITES.filter((site) => this.count(site) === 0);
  }
}
