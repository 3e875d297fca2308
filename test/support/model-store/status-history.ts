import { wamidDigest } from '../../../src/core/ids.ts';
import type { Random } from '../../../src/core/seeded-random.ts';
import type { Queryable } from '../../../src/database/database.ts';
import { deleteAppliedEarly, readRecordedEarly } from '../../../src/messages/statuses/early-status-queries.ts';
import { recordStatuses } from '../../../src/messages/statuses/record-statuses.ts';
import { applyStatuses } from '../../../src/messages/statuses/status-queries.ts';
import { ORGANIZATION, phoneNumberOf, SHARDS } from './account-history.ts';
import type { PeopleHistory } from './people-history.ts';

/** Reports of statuses to both databases, and the wamids that they are about. */
export class StatusHistory {
  readonly #random: Random;
  readonly #people: PeopleHistory;
  readonly #wamids: string[] = [];

  constructor(random: Random, people: PeopleHistory) {
    this.#random = random;
    this.#people = people;
  }

  /** Returns the wamid of an answer: one that a status may have named already if `isKnown` is set, else a new one. */
  wamid(isKnown: boolean): string {
    return isKnown && this.#wamids.length > 0 ? this.#random.pick(this.#wamids) : this.#fresh();
  }

  /** Reports statuses of known and unknown messages. */
  report() {
    const random = this.#random;
    const nowMs = Date.now();
    const updates = Array.from({ length: random.between(1, 4) }, () => {
      const shard = random.pick(SHARDS);
      return {
        wamid: this.#wamids.length > 0 && random.chance(0.8) ? random.pick(this.#wamids) : this.#fresh(),
        phoneNumberId: phoneNumberOf(shard),
        contact: random.chance(0.2) ? undefined : `1555100000${random.between(0, 4)}`,
        userId: this.#people.userId(),
        status: random.pick(['sent', 'delivered', 'read', 'failed'] as const),
        atMs: nowMs - 1_000 * random.between(0, 60),
        ...{ errorCode: '131026', errorMessage: 'Undeliverable', value: undefined },
        ...{
          category: random.chance(0.25)
            ? undefined
            : random.pick(['marketing', 'authentication-international', 'service']),
          pricingType: random.chance(0.3) ? undefined : random.pick(['regular', 'free_customer_service']),
        },
        callbackData: random.chance(0.4) ? undefined : random.pick(['a', 'b']),
      };
    });
    return (db: Queryable) => recordStatuses(db, updates, () => [ORGANIZATION], nowMs);
  }

  /** Applies the statuses that came before their messages were recorded, at times beside further reports. */
  applyEarly() {
    const digests = this.#wamids.filter(() => this.#random.chance(0.5)).map(wamidDigest);
    const tellMore = this.#random.chance(0.5) ? this.report() : async () => {};
    return async (db: Queryable) => {
      const early = await readRecordedEarly(db, digests);
      const unknown = early.length > 0 ? await applyStatuses(db, early, Date.now()) : new Set<string>();
      await tellMore(db);
      await deleteAppliedEarly(db, early);
      return [early.map(({ wamid }) => wamid).sort(), [...unknown].sort()];
    };
  }

  #fresh(): string {
    const wamid = `wamid.${this.#wamids.length + 1}`;
    this.#wamids.push(wamid);
    return wamid;
  }
}
