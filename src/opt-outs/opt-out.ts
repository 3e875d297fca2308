/** Origin of an opt-out: a call of the API, the platform's report of a person's choice, or a message with a stop word. */
export const OPT_OUT_SOURCES = ['api', 'platform', 'keyword'] as const;
type OptOutSource = (typeof OPT_OUT_SOURCES)[number];

/** A person who wants no marketing from a number. */
export interface OptOut {
  id: string;
  /** The platform's id of the number. */
  phoneNumberId: string;
  /** Digits; null if only the user id is known. */
  phoneNumber: string | null;
  userId: string | null;
  source: OptOutSource;
  optedOutAt: Date;
}

/** A person's choice for a number: to receive no marketing, or to receive it again. */
export interface OptOutAct {
  organizationId: string;
  /** The platform's id of the number. */
  phoneNumberId: string;
  /** The account of the number. */
  wabaId: string;
  /** The person's key, and a name that it may be stored under. */
  person: string;
  name: string;
  phoneNumber: string | undefined;
  userId: string | undefined;
  source: OptOutSource;
  /** False if the person wants marketing again. */
  stops: boolean;
  /** Epoch ms. */
  atMs: number;
}

/** Returns the last act of each person with a number. Of several at one time, the one that stops marketing counts. */
export function lastActs(acts: readonly OptOutAct[]): OptOutAct[] {
  const last = new Map<string, OptOutAct>();
  for (const act of acts) {
    const key = `${act.organizationId} ${act.phoneNumberId} ${act.person}`;
    const known = last.get(key);
    const isLater = known === undefined || act.atMs > known.atMs || (act.atMs === known.atMs && act.stops);
    if (isLater) last.set(key, act);
  }
  return [...last.values()];
}
