import { waIdOf } from './phone-spellings.ts';

/** A user of the platform. */
export interface Person {
  /** Identifies the person for good. Windows, limits and contacts are kept under it. Its part before `#` is the person's first number. */
  readonly key: string;
  /** Digits as they are dialled today. */
  phone: string;
  /** Digits that the platform reports: `phone`, or its older spelling. */
  waId: string;
  name: string;
  username: string | null;
  /** ISO code in front of the user ids. */
  country: string;
  /** Counts the person's user ids. Each increment ends the ids before it. */
  idVersion: number;
}

/** Scopes of user ids. */
export interface IdScope {
  portfolioId: string;
  /** Scope of the parent user ids, or null without a parent. */
  parentPortfolioId: string | null;
}

/** Returns the person behind a number of which no record exists: no user name, first user id. */
export function ordinaryPerson(phone: string): Person {
  const waId = waIdOf(phone);
  return { key: phone, phone, waId, name: `User ${waId.slice(-4)}`, username: null, country: 'US', idVersion: 0 };
}

/** Returns the person's user id for a portfolio, always the same until the next id. Pure. */
export function userIdOf(person: Person, { portfolioId }: IdScope): string {
  return `${person.country}.${scopedDigits(person, portfolioId)}`;
}

/** Returns the person's parent user id, or null in a portfolio without a parent. Pure. */
export function parentUserIdOf(person: Person, { parentPortfolioId }: IdScope): string | null {
  return parentPortfolioId === null ? null : `${person.country}.ENT.${scopedDigits(person, parentPortfolioId)}`;
}

/**
 * Returns the first number of the person that a user id names, or null if the id is not one of the simulator's. The digits in the id spare a
 * table of all ids issued; the check digits behind them tell portfolios, persons and versions apart.
 */
export function firstPhoneIn(userId: string): string | null {
  const digits = /^[A-Z]{2}\.(?:ENT\.)?1(\d{15})\d{9}$/.exec(userId)?.[1];
  return digits === undefined ? null : digits.replace(/^0+/, '');
}

/** Returns true if `text` has the form of a user id, the user's own or a parent one. */
export function isUserId(text: string): boolean {
  return /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(text);
}

function scopedDigits(person: Person, portfolioId: string): string {
  const [firstPhone = ''] = person.key.split('#');
  const check = String(hashOf(`${portfolioId}\0${person.key}\0${person.idVersion}`) % 1_000_000_000).padStart(9, '0');
  return `1${firstPhone.padStart(15, '0')}${check}`;
}

/** Returns 32 bits of FNV-1a with a final mix. Every status needs several ids, so a cryptographic hash would cost more than the send. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
