import { firstPhoneIn, type IdScope, ordinaryPerson, type Person, parentUserIdOf, userIdOf } from './person.ts';
import { canonicalPhone } from './phone-spellings.ts';

/**
 * The people of the platform. Only people that differ from the ordinary have a record; every other number belongs to an ordinary person, who
 * is derived from it.
 */
export class PeopleBook {
  /** Records by their first number, oldest first. */
  readonly #byFirstPhone = new Map<string, Person[]>();
  /** Holder of each number that a record has or had; null for a number that was given up. */
  readonly #holders = new Map<string, Person | null>();

  /** Returns the holder of a number in either spelling, or null if it was given up. */
  findByPhone(digits: string): Person | null {
    const phone = canonicalPhone(digits);
    const holder = this.#holders.get(phone);
    return holder === undefined ? ordinaryPerson(phone) : holder;
  }

  /** Returns the person whose present user id, or parent user id, in this scope is `userId`. */
  findByUserId(userId: string, scope: IdScope): Person | undefined {
    const firstPhone = firstPhoneIn(userId);
    if (firstPhone === null) return undefined;
    const records = this.#byFirstPhone.get(firstPhone) ?? [];
    const candidates = records.some(({ key }) => key === firstPhone)
      ? records
      : [...records, ordinaryPerson(firstPhone)];
    return candidates.find((person) => userIdOf(person, scope) === userId || parentUserIdOf(person, scope) === userId);
  }

  /** Stores a record of a person who has none, so that it can be changed. Returns the record. */
  record(person: Person): Person {
    const holder = this.#holders.get(person.phone);
    if (holder?.key === person.key) return holder;
    this.#holders.set(person.phone, person);
    this.#byFirstPhone.set(firstPhoneOf(person), [...this.#recordsOf(person), person]);
    return person;
  }

  /** Creates a record for a number without one. Raises an ordinary error if a person with a record holds it. */
  add(digits: string): Person {
    const phone = canonicalPhone(digits);
    const holder = this.#holders.get(phone);
    if (holder) throw new Error(`Another person has the number ${phone}.`);
    const earlier = this.#byFirstPhone.get(phone)?.length ?? 0;
    const ordinary = ordinaryPerson(phone);
    return this.record(earlier === 0 ? ordinary : { ...ordinary, key: `${phone}#${earlier + 1}` });
  }

  /** Gives a recorded person another number. Nobody holds the number before; the new one is taken from an ordinary person. */
  move(person: Person, digits: string): void {
    const phone = canonicalPhone(digits);
    const holder = this.#holders.get(phone);
    if (holder) throw new Error(`Another person has the number ${phone}.`);
    if (holder === undefined) this.record({ ...ordinaryPerson(phone), idVersion: 1 });
    this.#holders.set(person.phone, null);
    this.#holders.set(phone, person);
    const { waId } = ordinaryPerson(phone);
    Object.assign(person, { phone, waId });
  }

  clear(): void {
    this.#byFirstPhone.clear();
    this.#holders.clear();
  }

  #recordsOf(person: Person): Person[] {
    return this.#byFirstPhone.get(firstPhoneOf(person)) ?? [];
  }
}

function firstPhoneOf({ key }: Person): string {
  return key.split('#')[0] ?? key;
}
