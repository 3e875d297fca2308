import type { Person } from './person.ts';

/** Time for which a number keeps seeing a phone after their last exchange. */
const PHONE_SEEN_MS = 30 * 86_400_000;
/** Entries of one generation; at most twice as many are kept, so that runs with millions of recipients stay small. */
const GENERATION_MAX = 100_000;

/** A number's acquaintance with a person. */
interface Acquaintance {
  /** The phone of the last exchange; null if they only ever exchanged messages by user id. */
  phone: string | null;
  exchangedAt: number;
}

/** A map that forgets its least recently written entries. */
class RecentMap<Value> {
  #newer = new Map<string, Value>();
  #older = new Map<string, Value>();

  get(key: string): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(key: string, value: Value): void {
    this.#newer.set(key, value);
    if (this.#newer.size < GENERATION_MAX) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  delete(key: string): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  keys(): string[] {
    return [...new Set([...this.#older.keys(), ...this.#newer.keys()])];
  }

  clear(): void {
    this.#newer.clear();
    this.#older.clear();
  }
}

/** The phones that numbers have seen: their exchanges of the last 30 days, and the contact book of each account. */
export class ContactMemory {
  readonly #acquaintances = new RecentMap<Acquaintance>();
  /** Phone of a person in the contact book of an account. */
  readonly #books = new RecentMap<string>();

  /** Records an exchange that showed the person's phone to the number, at `atMs` (epoch). With `wabaId` the contact book records it too. */
  recordPhone(numberId: string, wabaId: string | null, person: Person, atMs: number): void {
    const key = keyOf(numberId, person);
    const exchangedAt = Math.max(atMs, this.#acquaintances.get(key)?.exchangedAt ?? atMs);
    this.#acquaintances.set(key, { phone: person.phone, exchangedAt });
    if (wabaId !== null) this.#books.set(keyOf(wabaId, person), person.phone);
  }

  /** Records an exchange without the person's phone. It extends nothing, but number changes are reported to this number. */
  recordMeeting(numberId: string, person: Person): void {
    const key = keyOf(numberId, person);
    if (this.#acquaintances.get(key) === undefined) {
      this.#acquaintances.set(key, { phone: null, exchangedAt: Number.NEGATIVE_INFINITY });
    }
  }

  hasSeenPhone(numberId: string, person: Person, nowMs: number): boolean {
    const known = this.#acquaintances.get(keyOf(numberId, person));
    return known?.phone === person.phone && nowMs < known.exchangedAt + PHONE_SEEN_MS;
  }

  isInBook(wabaId: string, person: Person): boolean {
    return this.#books.get(keyOf(wabaId, person)) === person.phone;
  }

  /** Returns the ids of the numbers that have exchanged messages with the person. */
  numbersOf(person: Person): string[] {
    return holdersIn(this.#acquaintances, person);
  }

  /** Forgets the person's phone everywhere, as if 30 days passed and every contact book lost the contact. */
  forgetPhone(person: Person): void {
    for (const numberId of this.numbersOf(person)) {
      this.#acquaintances.set(keyOf(numberId, person), { phone: null, exchangedAt: Number.NEGATIVE_INFINITY });
    }
    for (const wabaId of holdersIn(this.#books, person)) this.#books.delete(keyOf(wabaId, person));
  }

  clear(): void {
    this.#acquaintances.clear();
    this.#books.clear();
  }
}

const keyOf = (holder: string, person: Person) => `${holder}\0${person.key}`;

function holdersIn(map: RecentMap<unknown>, person: Person): string[] {
  return map.keys().flatMap((key) => (key.endsWith(`\0${person.key}`) ? [key.slice(0, key.indexOf('\0'))] : []));
}
