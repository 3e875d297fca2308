import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import type { Identified } from './account-people.ts';
import { identifyPeople } from './identify-people.ts';
import type { Account } from './queries.ts';
import type { Sighting } from './sighting.ts';

/** The people whom the numbers of this gateway write to. */
export interface People {
  /** Returns the person of each sighting, in order, and stores new names; undefined for one without a name. */
  identify(sightings: readonly Sighting[]): Promise<(Identified | undefined)[]>;
  /**
   * Does the same for sightings that mostly confirm known names. Returns undefined also for one whose names were all
   * reported together within the last minutes.
   */
  confirm(sightings: readonly Sighting[]): Promise<(Identified | undefined)[]>;
  /** Returns the key of the person with a user id in an account. A person unknown so far gets a record. */
  enroll(account: Account, userId: string): Promise<string>;
}

const CONFIRMED_FOR_MS = 10 * 60 * 1000;
const CONFIRMED_MAX = 100_000;

/** Creates the people's records on a database. */
export function createPeople({ db, clock }: { db: Database; clock: Pick<Clock, 'now'> }): People {
  /** When names were last reported together, epoch ms; the oldest come first. */
  const confirmed = new Map<string, number>();

  const note = (sighting: Sighting) => {
    const key = namesOf(sighting);
    confirmed.delete(key);
    confirmed.set(key, clock.now());
    for (const [oldest] of confirmed) {
      if (confirmed.size <= CONFIRMED_MAX) return;
      confirmed.delete(oldest);
    }
  };

  return {
    identify: (sightings) => identifyPeople(db, sightings),
    async confirm(sightings) {
      const sinceMs = clock.now() - CONFIRMED_FOR_MS;
      const asked = [...sightings.entries()].filter(([, one]) => (confirmed.get(namesOf(one)) ?? 0) < sinceMs);
      const people = await identifyPeople(
        db,
        asked.map(([, one]) => one),
      );
      for (const [, one] of asked) note(one);
      const found: (Identified | undefined)[] = new Array(sightings.length).fill(undefined);
      for (const [place, [index]] of asked.entries()) found[index] = people[place];
      return found;
    },
    async enroll(account, userId) {
      const sighting = { ...account, numbers: [], userIds: [userId], parentUserIds: [], atMs: clock.now() };
      const [person] = await identifyPeople(db, [sighting]);
      if (person === undefined) throw new Error('A sighting with a user id has a person.');
      return person.number;
    },
  };
}

function namesOf({ organizationId, wabaId, numbers, userIds, parentUserIds }: Sighting): string {
  return [organizationId, wabaId, ...numbers, ...userIds, ...parentUserIds].join(' ');
}
