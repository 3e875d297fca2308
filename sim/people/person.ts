import type { PersonNames } from '../../src/people/index.ts';
import type { NumberRow } from '../store/tables.ts';

/** A person as the platform knows them, whatever the gateways believe. They exchange messages with one business number. */
export interface Person {
  readonly id: number;
  readonly number: NumberRow;
  /** Digits. */
  phone: string;
  /** Undefined if the platform reports no user ids. */
  userId: string | undefined;
  /** True if webhooks carry no phone number of the person. */
  isHidden: boolean;
}

/** The people of the platform, and the names that each has and had. */
export class PeopleBook {
  readonly people: Person[] = [];
  /** By phone number or user id: the person who has it. */
  readonly #holders = new Map<string, Person>();
  /** By phone number or user id: everybody who ever had it. */
  readonly #owners = new Map<string, Set<Person>>();
  #ids = 0;
  #phones = 0;

  add(number: NumberRow, phone: string, options: { hasUserId: boolean; isHidden: boolean }): Person {
    const { hasUserId, isHidden } = options;
    const userId = hasUserId ? this.#nextId() : undefined;
    const person: Person = { id: this.people.length, number, phone, userId, isHidden };
    this.people.push(person);
    for (const name of [phone, userId]) if (name !== undefined) this.#take(name, person);
    return person;
  }

  /** Returns the person whom a message with this name reaches; undefined for a name that nobody has any more. */
  find(name: string): Person | undefined {
    return this.#holders.get(name);
  }

  /** Returns true if the person has the name, or had it. */
  everHad(person: Person, name: string): boolean {
    return this.#owners.get(name)?.has(person) === true;
  }

  /** Gives a person another phone number, by default a fresh one, and a new user id. Returns the names before. */
  changeNumber(person: Person, phone: string | undefined): { phone: string; userId: string | undefined } {
    const { phone: former, userId } = person;
    this.#phones += 1;
    this.#holders.delete(former);
    person.phone = phone ?? `15552${String(this.#phones).padStart(6, '0')}`;
    this.#take(person.phone, person);
    this.changeUserId(person);
    return { phone: former, userId };
  }

  /** Gives a person a new user id. Returns the one before. */
  changeUserId(person: Person): string | undefined {
    const { userId } = person;
    if (userId === undefined) return undefined;
    this.#holders.delete(userId);
    person.userId = this.#nextId();
    this.#take(person.userId, person);
    return userId;
  }

  /** Returns a phone number that a person of a business number gave up, and nobody took since. */
  freePhone({ numberId }: NumberRow): string | undefined {
    for (const [name, owners] of this.#owners) {
      const isOfNumber = [...owners].some(({ number }) => number.numberId === numberId);
      if (/^\d/.test(name) && isOfNumber && !this.#holders.has(name)) return name;
    }
    return undefined;
  }

  #take(name: string, person: Person): void {
    this.#holders.set(name, person);
    this.#owners.set(name, (this.#owners.get(name) ?? new Set()).add(person));
  }

  #nextId(): string {
    this.#ids += 1;
    return `US.${1_000_000 + this.#ids}`;
  }
}

/** Returns the names that a webhook shows of a person now. */
export function shownNames({ phone, userId, isHidden }: Person): PersonNames {
  return {
    numbers: isHidden ? [] : [phone],
    userIds: userId === undefined ? [] : [userId],
    parentUserIds: [],
  };
}
