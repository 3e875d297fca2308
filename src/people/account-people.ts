import { conversationKeyOf } from '../core/phone-number.ts';
import { ALIAS_KINDS, isRecordNumber, type Person, type Sighting } from './sighting.ts';

/** A stored name of a person. */
export interface Alias {
  alias: string;
  kind: (typeof ALIAS_KINDS)[keyof typeof ALIAS_KINDS];
  person: Person;
  /** Epoch ms of the report that gave the person this name. */
  learnedAtMs: number;
}

/** Person of a sighting. */
export interface Identified extends Person {
  /** Keys of records that a report has shown to be the same person, and that wait to be merged. */
  also: readonly string[];
}

/** A key that passes its windows to another one. */
export interface KeyChange {
  from: string;
  to: string;
  /** True if the two are one person; false if a phone number leaves the person. */
  isMerge: boolean;
}

/**
 * The people of one account, as far as a set of sightings concerns them: pure rules, without I/O. A user id names one person for good.
 * A phone number names the person of the last user id that was reported with it.
 *
 * `changed` and `keyChanges` hold the lessons of the sightings. They are empty if everything was known.
 */
export class AccountPeople {
  readonly #aliases = new Map<string, Alias>();
  readonly #aliasesByPerson = new Map<string, Set<string>>();
  readonly #waiting: ReadonlySet<string>;
  readonly #nextNumber: () => string;
  readonly changed = new Map<string, Alias>();
  /** In the order in which they are to be made. */
  readonly keyChanges: KeyChange[] = [];
  /** Keys of people who lose a phone number to another person and keep their key. */
  readonly left = new Set<string>();
  /** Keys that keep their names although a sighting asks for a change, because messages wait under them. */
  readonly postponed = new Set<string>();

  /** `waiting` holds the keys of people with queued messages; `nextNumber` returns a number for a new record. */
  constructor(known: readonly Alias[], options: { waiting: ReadonlySet<string>; nextNumber: () => string }) {
    for (const alias of known) this.#set(alias);
    this.#waiting = options.waiting;
    this.#nextNumber = options.nextNumber;
  }

  /** Returns the person of a sighting, without learning from it. Undefined if its names are all unknown. */
  find(sighting: Sighting): Identified | undefined {
    const { numbers, userIds, parentUserIds } = sighting;
    const named = [...userIds, ...parentUserIds].map((id) => this.#aliases.get(id)?.person);
    const holders = numbers
      .map(conversationKeyOf)
      .filter((number) => !this.#isOfAnother(number, sighting))
      .map((number) => this.#holderOf(number));
    const person = [...named, ...holders].find((known) => known !== undefined);
    if (person === undefined) return undefined;
    const also = new Set(holders.map(({ number }) => number).filter((number) => number !== person.number));
    return { ...person, also: [...also] };
  }

  /** Learns from a sighting: names of people, new people, and records that are one person's. */
  learn(sighting: Sighting): void {
    const { numbers, userIds, parentUserIds } = sighting;
    const ids = [...userIds, ...parentUserIds];
    let person = ids.map((id) => this.#aliases.get(id)?.person).find((known) => known !== undefined);
    for (const number of new Set(numbers.map(conversationKeyOf))) {
      if (this.#isOfAnother(number, sighting)) {
        if (this.#isStale(number, sighting) || !this.#mayPart(number)) continue;
        this.#part(number, sighting);
      }
      const holder = this.#holderOf(number);
      person = person === undefined ? holder : this.#merge(person, holder, number);
      if (isFormerNumber(number, sighting)) this.#leave(number, sighting.atMs);
    }
    const [firstId] = ids;
    if (firstId === undefined) return;
    person ??= { number: this.#nextNumber(), name: firstId };
    for (const id of ids) {
      const known = this.#aliases.get(id)?.person;
      if (known !== undefined) {
        person = this.#merge(person, known, undefined);
      } else {
        const kind = userIds.includes(id) ? ALIAS_KINDS.userId : ALIAS_KINDS.parentUserId;
        this.#learn({ alias: id, kind, person, learnedAtMs: sighting.atMs });
      }
    }
  }

  #holderOf(number: string): Person {
    return this.#aliases.get(number)?.person ?? { number, name: number };
  }

  #aliasesOf({ number }: Person): Alias[] {
    return [...(this.#aliasesByPerson.get(number) ?? [])].flatMap((alias) => this.#aliases.get(alias) ?? []);
  }

  #userIdsOf(person: Person): Alias[] {
    return this.#aliasesOf(person).filter(({ kind }) => kind === ALIAS_KINDS.userId);
  }

  /**
   * True if a number is another person's, or was until this sighting: of one with other ids than those sighted with it. The former number
   * of a stated change may be that of a person whose ids were not reported yet, unless its last owner is known to have left it.
   */
  #isOfAnother(number: string, sighting: Sighting): boolean {
    const { userIds, parentUserIds, formerNumbers } = sighting;
    if (userIds.length === 0 && formerNumbers === undefined) return false;
    const holder = this.#holderOf(number);
    const holders = [...userIds, ...parentUserIds].map((id) => this.#aliases.get(id)?.person.number);
    if (this.#userIdsOf(holder).length === 0 || holders.includes(holder.number)) return false;
    const isNew = holders.every((known) => known === undefined) && (this.#aliases.get(number)?.learnedAtMs ?? 0) === 0;
    return !isNew || !isFormerNumber(number, sighting) || this.#isStale(number, sighting);
  }

  /** Notes when a person has left a number, so that the number does not name the person from then on. */
  #leave(number: string, atMs: number): void {
    const known = this.#aliases.get(number);
    if ((known?.learnedAtMs ?? 0) >= atMs) return;
    this.#learn({ alias: number, kind: ALIAS_KINDS.number, person: this.#holderOf(number), learnedAtMs: atMs });
  }

  /** True if the present owner of a number was reported later than this sighting, under a new id or with the number. */
  #isStale(number: string, { atMs }: Sighting): boolean {
    const passedAtMs = this.#aliases.get(number)?.learnedAtMs ?? 0;
    return passedAtMs > atMs || this.#userIdsOf(this.#holderOf(number)).some(({ learnedAtMs }) => learnedAtMs > atMs);
  }

  /**
   * False while messages wait under the key of a number's former owner: later messages to the same number or user id would get another key
   * and overtake them.
   */
  #mayPart(number: string): boolean {
    const key = this.#holderOf(number).number;
    if (!this.#waiting.has(key)) return true;
    this.postponed.add(key);
    return false;
  }

  /**
   * Parts a number from its former owner, the holder of all its other names and of the conversation. The number's key stays with the
   * number, because a key is shown where it is a phone number.
   */
  #part(number: string, { userIds, atMs }: Sighting): void {
    const former = this.#holderOf(number);
    const name = userIds[0] ?? number;
    if (former.number === number) {
      const record = { number: this.#nextNumber(), name: former.name };
      for (const alias of this.#aliasesOf(former))
        if (alias.alias !== number) this.#learn({ ...alias, person: record });
      this.keyChanges.push({ from: number, to: record.number, isMerge: false });
      this.#learn({ alias: number, kind: ALIAS_KINDS.number, person: { number, name }, learnedAtMs: atMs });
    } else {
      this.left.add(former.number);
      const isFree = !this.#aliasesOf({ number, name }).length;
      const person = { number: isFree ? number : this.#nextNumber(), name };
      this.#learn({ alias: number, kind: ALIAS_KINDS.number, person, learnedAtMs: atMs });
    }
  }

  /**
   * Merges two records of one person, and returns the one that is left. Queue rows never change their key, so the record with waiting
   * messages is left; if both have some, the merge waits until a later sighting. Otherwise the number `sighted` now is left, because a
   * person's key is shown where it is a phone number.
   */
  #merge(one: Person, other: Person, sighted: string | undefined): Person {
    if (one.number === other.number) return one;
    const [oneWaits, otherWaits] = [this.#waiting.has(one.number), this.#waiting.has(other.number)];
    if (oneWaits && otherWaits) {
      this.postponed.add(one.number).add(other.number);
      return one;
    }
    const isOther = otherWaits || (!oneWaits && (other.number === sighted || isRecordNumber(one.number)));
    const [kept, lost] = isOther ? [other, one] : [one, other];
    const person = { number: kept.number, name: one.name };
    const names = [...this.#aliasesOf(kept), ...this.#aliasesOf(lost)];
    for (const alias of names) this.#learn({ ...alias, person });
    // Stored messages have the lost key as their contact.
    const isNamedOtherwise = !isRecordNumber(kept.number) && person.name !== kept.number;
    for (const number of isNamedOtherwise ? [kept.number, lost.number] : [lost.number]) {
      if (!this.#aliases.has(number)) this.#learn({ alias: number, kind: ALIAS_KINDS.number, person, learnedAtMs: 0 });
    }
    this.keyChanges.push({ from: lost.number, to: kept.number, isMerge: true });
    return person;
  }

  #learn(alias: Alias): void {
    this.#set(alias);
    this.changed.set(alias.alias, alias);
  }

  #set(alias: Alias): void {
    const former = this.#aliases.get(alias.alias);
    if (former !== undefined) this.#aliasesByPerson.get(former.person.number)?.delete(alias.alias);
    this.#aliases.set(alias.alias, alias);
    const { number } = alias.person;
    const names = this.#aliasesByPerson.get(number) ?? new Set();
    this.#aliasesByPerson.set(number, names.add(alias.alias));
  }
}

function isFormerNumber(number: string, { formerNumbers }: Sighting): boolean {
  return formerNumbers?.some((former) => conversationKeyOf(former) === number) === true;
}
