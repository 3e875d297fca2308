/** The instructions for the load client. */
export interface LoadPlan {
  seed: number;
  apiKey: string;
  gatewayPorts: readonly number[];
  /** Each lane sends to one recipient from one number, one message after the other. */
  lanes: readonly Lane[];
  /** Messages per second over all lanes except the hot ones. */
  perSecond: number;
  /** File that receives one JSON line per message. */
  recordFile: string;
}

export interface Lane {
  lane: number;
  phoneNumberId: string;
  recipient: string;
  /** Number of messages to send without pause, to use up the pair's burst; 0 for lanes that pause between messages. */
  hotMessages: number;
  /** True if the recipient has written, so that free-form text is allowed. */
  hasWindow: boolean;
}

/** One attempt at one gateway. */
export interface Attempt {
  atMs: number;
  untilMs: number;
  port: number;
  /** HTTP status; null without an answer. */
  status: number | null;
  /** The answer's error code, or the cause of the broken connection. */
  code: string | null;
}

/** The outcome of one message as its sender knows it. */
export interface ClientRecord {
  tag: string;
  lane: number;
  index: number;
  keyed: boolean;
  sync: boolean;
  /** `unknown`: no answer, or an answer that leaves open if the message was accepted. */
  outcome: 'accepted' | 'refused' | 'unknown';
  /** Every message id in its answers. */
  ids: string[];
  attempts: Attempt[];
}

/** Templates of the load, one per class. */
export const LOAD_TEMPLATES = [
  { name: 'parcel_update', category: 'UTILITY' },
  { name: 'season_offer', category: 'MARKETING' },
  { name: 'entry_code', category: 'AUTHENTICATION' },
] as const;
