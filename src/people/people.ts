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
  /** Stores new names of sightings that mostly confirm known ones. Names confirmed together within the last minutes are not read again. */
  confirm(sightings: readonly Sighting[]): Promise<void>;
  /** Returns the key of the person with a user id in an account. A person unknown so far gets a record. */
  enroll(account: Account, userId: string): Promise<string>;
  /** Forgets which names were reported lately, because some of them may have been erased. */
  forget(): void;
}

const CONFIRMED_FOR_MS = 10 * 60 * 1000;
const CONFIRMED_MAX = 100_000;

/** Creates the people's records on a database. */
export function createPeople(deps: { db: Database; clock: Pick<Clock, 'now' | 'monotonicMs' | 'schedule'> }): People {
  const { clock } = deps;
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
    identify: (sightings) => identifyPeople(deps, sightings),
    async confirm(sightings) {
      const sinceMs = clock.now() - CONFIRMED_FOR_MS;
      const asked = sightings.filter((one) => (confirmed.get(namesOf(one)) ?? 0) < sinceMs);
      const people = await identifyPeople(deps, asked);
      // A merge that had to wait is tried again at the next report.
      for (const [index, one] of asked.entries()) if (people[index]?.also.length === 0) note(one);
    },
    async enroll(account, userId) {
      const sighting = { ...account, numbers: [], userIds: [userId], parentUserIds: [], atMs: clock.now() };
      const [person] = await identifyPeople(deps, [sighting]);
      if (person === undefined) throw new Error('A sighting with a user id has a person.');
      return person.number;
    },
    forget: () => confirmed.clear(),
  };
}

function namesOf({ organizationId, wabaId, numbers, userIds, parentUserIds }: Sighting): string {
  return [organizationId, wabaId, ...numbers, ...userIds, ...parentUserIds].join(' ');
}
