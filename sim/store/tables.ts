import type { ChangeTopic } from '../../src/database/changes/change-feed.ts';
import type { MarketingMessages } from '../../src/organizations/index.ts';

/**
 * Rows of the tables that the simulated statements touch, reduced to the columns on which the product's decisions depend. Times are epoch
 * ms.
 */

export interface MessageRow {
  organizationId: string;
  id: string;
  numberId: number;
  direction: 0 | 1;
  contact: string | null;
  type: string;
  templateName: string | null;
  templateLanguage: string | null;
  category: string | null;
  pricingType: string | null;
  pricingRank: number;
  priceMicros: number;
  country: string | null;
  prices: string | null;
  apiKeyId: string | null;
  body: string;
  callbackData: string | null;
  status: number;
  wamid: string | null;
  upstreamStatus: string | null;
  acceptedAtMs: number;
  sentAtMs: number | null;
  deliveredAtMs: number | null;
  readAtMs: number | null;
  failedAtMs: number | null;
  errorCode: string | null;
  errorMessage: string | null;
  person: string | null;
  userId: string | null;
  told: number;
}

export interface QueueRow {
  shard: number;
  numberId: number;
  flowId: number;
  contact: string;
  seq: number;
  xid: number;
  acceptedBy: string;
  messageId: string;
  acceptedAtMs: number;
  expiresAtMs: number;
  attempt: number;
  unknownCount: number;
  dueAtMs: number | null;
  holdUntilMs: number | null;
  attemptedAtMs: number | null;
  cancelledAtMs: number | null;
  marketing: boolean | null;
  traceparent: string | null;
}

export interface NodeRow {
  seenAtMs: number;
  dispatches: boolean;
  delivers: boolean;
}

export interface LeaseRow {
  shard: number;
  owner: string;
  epoch: number;
  expiresAtMs: number;
}

export interface PairDebtRow {
  numberId: number;
  contact: string;
  freeAtMs: number;
}

export interface JournalRow {
  shard: number;
  owner: string;
  batch: number;
  atMs: number;
  messages: { numberId: number; flowId: number; seq: number }[];
}

export interface EarlyStatusRow {
  digest: string;
  wamid: string;
  phoneNumberId: string;
  contact: string | null;
  sentAtMs: number | null;
  deliveredAtMs: number | null;
  readAtMs: number | null;
  failedAtMs: number | null;
  errorCode: string | null;
  errorMessage: string | null;
  category: string | null;
  pricingType: string | null;
  callbackData: string | null;
  sentValue: string | null;
  deliveredValue: string | null;
  readValue: string | null;
  failedValue: string | null;
  pricingRank: number;
  receivedAtMs: number;
  /** `xmin`: the transaction that wrote it last. */
  version: string;
}

export interface OrganizationRow {
  id: string;
  weight: number;
  unknownOutcomePolicy: 'resend' | 'fail';
  messageTtlSeconds: number;
  marketingMessages: MarketingMessages;
  marketingChangedAtMs: number | null;
  plan: { monthlyMessageLimit: number | null; monthlyBudgetMicros: number | null } | undefined;
}

export interface NumberRow {
  organizationId: string;
  phoneNumberId: string;
  accountId: string;
  numberId: number;
  wabaId: string;
  phoneNumber: string;
  messagesPerSecond: number;
  registered: boolean;
  paused: boolean;
  parkedCode: string | null;
  /** Time at which its account was disconnected. A reconnected number is another row. */
  releasedAtMs: number | null;
}

export interface WabaRow {
  organizationId: string;
  wabaId: string;
  tokenVersion: number;
  readAtMs: number;
  parkedCode: string | null;
  marketingMessages: MarketingMessages | null;
  isOnboarded: boolean;
  marketingForbidden: boolean;
  marketingChangedAtMs: number | null;
}

/** A language version of a template. */
export interface TemplateRow {
  organizationId: string;
  wabaId: string;
  name: string;
  category: string;
  marketingRefused: boolean;
  marketingChangedAtMs: number | null;
}

/** A name of a person. */
export interface AliasRow {
  organizationId: string;
  wabaId: string;
  alias: string;
  kind: number;
  person: string;
  personName: string;
  learnedAtMs: number;
}

/** A change that nodes have to receive. */
export interface ChangeRow {
  topic: ChangeTopic;
  key: string;
}

/** The committed rows. */
export class Tables {
  readonly organizations = new Map<string, OrganizationRow>();
  /** By `numberId`. */
  readonly numbers = new Map<number, NumberRow>();
  /** By id. */
  readonly wabas = new Map<string, WabaRow>();
  /** By `templateKey`. */
  readonly templates = new Map<string, TemplateRow>();
  /** By number. */
  readonly changes = new Map<number, ChangeRow>();
  /** By id; ids are unique across organizations. */
  readonly messages = new Map<string, MessageRow>();
  /** By seq. */
  readonly queue = new Map<number, QueueRow>();
  /** By shard. */
  readonly leases = new Map<number, LeaseRow>();
  /** By owner and work: end of the term. */
  readonly leaseTerms = new Map<string, number>();
  /** By id. */
  readonly nodes = new Map<string, NodeRow>();
  /** By `journalKey`. */
  readonly journal = new Map<string, JournalRow>();
  /** By `pairKey`: time at which the pair's rate limit is free again. */
  readonly pairDebt = new Map<string, PairDebtRow>();
  /** By `idempotencyKey`. */
  readonly idempotency = new Map<string, { messageId: string; fingerprint: string }>();
  /** By digest of the wamid. */
  readonly wamids = new Map<string, { organizationId: string; messageId: string }>();
  /** By digest of the wamid. */
  readonly early = new Map<string, EarlyStatusRow>();
  /** By `usageKey`. */
  readonly usage = new Map<string, number>();
  /** By `conversationKey`: the newest inbound time. */
  readonly conversations = new Map<string, number>();
  /** By `aliasKey`. */
  readonly aliases = new Map<string, AliasRow>();

  /** Returns all rows of a number, newest first: the connected one, if any, then the released ones. */
  numbersCalled(phoneNumberId: string): NumberRow[] {
    return [...this.numbers.values()].filter((row) => row.phoneNumberId === phoneNumberId).reverse();
  }

  connectedNumber(phoneNumberId: string): NumberRow | undefined {
    return this.numbersCalled(phoneNumberId).find((row) => row.releasedAtMs === null);
  }
}

export const templateKey = (organizationId: string, wabaId: string, name: string) =>
  `${organizationId}/${wabaId}/${name}`;
export const journalKey = (shard: number, owner: string, batch: number) => `${shard}/${owner}/${batch}`;
export const pairKey = (numberId: number, contact: string) => `${numberId}/${contact}`;
export const idempotencyKey = (organizationId: string, numberId: number, digest: string) =>
  `${organizationId}/${numberId}/${digest}`;
export const usageKey = (organizationId: string, month: string, metric: string) =>
  `${organizationId}/${month}/${metric}`;
export const aliasKey = (organizationId: string, wabaId: string, alias: string) =>
  `${organizationId}/${wabaId}/${alias}`;
export const conversationKey = (organizationId: string, numberId: number, contact: string) =>
  `${organizationId}/${numberId}/${contact}`;
