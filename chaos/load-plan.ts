/** What the load client is told. */
export interface LoadPlan {
  seed: number;
  apiKey: string;
  gatewayPorts: readonly number[];
  /** Each lane sends to one recipient from one number, one message after the other. */
  lanes: readonly Lane[];
  /** Messages per second over all lanes but the hot ones. */
  perSecond: number;
  /** Takes one JSON line per message. */
  recordFile: string;
}

export interface Lane {
  lane: number;
  phoneNumberId: string;
  recipient: string;
  /** Sends without pause until so many are accepted, to use up the pair's burst; 0 for lanes that think between sends. */
  hotMessages: number;
  /** The recipient has written, so free text may be sent. */
  hasWindow: boolean;
}

/** One try at one gateway. */
export interface Attempt {
  atMs: number;
  untilMs: number;
  port: number;
  /** HTTP status; null without an answer. */
  status: number | null;
  /** The answer's error code, or what broke the connection. */
  code: string | null;
}

/** What became of one message, as its sender knows it. */
export interface ClientRecord {
  tag: string;
  lane: number;
  index: number;
  keyed: boolean;
  sync: boolean;
  /** `unknown`: no answer, or one that leaves open whether the message was taken. */
  outcome: 'accepted' | 'refused' | 'unknown';
  /** Every id it was answered with. */
  ids: string[];
  attempts: Attempt[];
}

/** Templates the load uses, one of each class of traffic. */
export const LOAD_TEMPLATES = [
  { name: 'parcel_update', category: 'UTILITY' },
  { name: 'season_offer', category: 'MARKETING' },
  { name: 'entry_code', category: 'AUTHENTICATION' },
] as const;
