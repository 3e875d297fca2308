import type { JsonObject } from '../graph/json-object.ts';

export interface QrCode {
  id: string;
  code: string;
  prefilledMessage: string;
  hasImage: boolean;
}

export interface Flow {
  readonly id: string;
  readonly wabaId: string;
  name: string;
  categories: unknown;
  status: 'DRAFT' | 'PUBLISHED' | 'DEPRECATED';
  endpointUri: string | null;
  /** The uploaded JSON; null before the first upload. */
  json: Buffer | null;
}

export interface Group {
  readonly id: string;
  readonly phoneNumberId: string;
  subject: string;
  description: string;
  participants: Set<string>;
  joinRequests: Map<string, string>;
  inviteCode: string;
}

/** In-app sign-up of an account. */
interface Signup {
  readonly id: string;
  readonly wabaId: string;
  readonly members: JsonObject;
}

/** What the numbers and accounts of the platform have beside messages, media and templates. */
export class EdgeStore {
  readonly flows = new Map<string, Flow>();
  readonly groups = new Map<string, Group>();
  readonly signups = new Map<string, Signup>();
  /** Blocked people by number. */
  readonly #blocked = new Map<string, Set<string>>();
  readonly #qrCodes = new Map<string, Map<string, QrCode>>();
  /** Small objects such as the profile by name, by number. */
  readonly #documents = new Map<string, Map<string, JsonObject>>();
  /** Two-step PINs by number. */
  readonly pins = new Map<string, string>();
  /** Times of registrations and deregistrations by number, milliseconds since the epoch. */
  readonly #registrations = new Map<string, number[]>();

  blockedBy(phoneNumberId: string): Set<string> {
    return entryOf(this.#blocked, phoneNumberId, () => new Set());
  }

  qrCodesOf(phoneNumberId: string): Map<string, QrCode> {
    return entryOf(this.#qrCodes, phoneNumberId, () => new Map());
  }

  registrationsOf(phoneNumberId: string): number[] {
    return entryOf(this.#registrations, phoneNumberId, () => []);
  }

  /** Returns a small object of a number, to read or to change. */
  documentOf(phoneNumberId: string, name: string): JsonObject {
    const documents = entryOf(this.#documents, phoneNumberId, () => new Map<string, JsonObject>());
    return entryOf(documents, name, () => ({}));
  }

  /** Forgets the flows and sign-ups of an account. */
  forgetWaba(wabaId: string): void {
    for (const [id, flow] of this.flows) if (flow.wabaId === wabaId) this.flows.delete(id);
    for (const [id, signup] of this.signups) if (signup.wabaId === wabaId) this.signups.delete(id);
  }

  /** Forgets what a number has. */
  forgetNumber(phoneNumberId: string): void {
    for (const [id, group] of this.groups) if (group.phoneNumberId === phoneNumberId) this.groups.delete(id);
    for (const map of this.#byNumber) map.delete(phoneNumberId);
  }

  clear(): void {
    for (const map of [this.flows, this.groups, this.signups, ...this.#byNumber]) map.clear();
  }

  get #byNumber(): Map<string, unknown>[] {
    return [this.#blocked, this.#qrCodes, this.#documents, this.pins, this.#registrations];
  }
}

function entryOf<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
