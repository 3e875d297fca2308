import { createHash } from 'node:crypto';
import type { Identity } from '../http/index.ts';

/** The chain of changes that belong to no organization. */
export const DEPLOYMENT_CHAIN = '00000000-0000-0000-0000-000000000000';

/** The digest before the first row of a chain. */
export const FIRST_DIGEST = Buffer.alloc(32);

/** A person or program that made a change. */
export interface Actor {
  type: 'operator' | 'admin_token' | 'api_key';
  /** `null` for the holder of ADMIN_TOKEN. */
  id: string | null;
  name: string | null;
  /** The person at the identity provider; `null` for everyone else, absent in rows of older versions. */
  identity?: Identity | null;
}

/** An object of the gateway or of the platform that a change was about. */
interface AuditedObject {
  type: string;
  id: string;
}

/** The listed members of an object, a query or an answer, by their names. */
export type State = Record<string, unknown>;

/** Facts of a change, stored before it is made. */
export interface ChangeFacts {
  actor: Actor;
  /** The client's address, as TRUSTED_PROXIES gives it. */
  address: string;
  request_id: string;
  /** The operation's id in the OpenAPI file. */
  operation: string;
  object: AuditedObject | null;
  before: State | null;
  parameters: State | null;
}

/** Facts of a result, stored after the change. */
export interface ResultFacts {
  http_status: number;
  object: AuditedObject | null;
  after: State | null;
  answer: State | null;
}

/** Facts of a checkpoint: the rows up to a sequence were deleted because of their age; `digest` is the last one's, in hex. */
export interface CheckpointFacts {
  deleted_up_to: number;
  digest: string;
}

/** Facts that every row has. */
export interface RowHead {
  id: string;
  /** ISO 8601 */
  at: string;
  kind: 'change' | 'result' | 'checkpoint';
  /** The sequence of the change that a result belongs to. */
  of_sequence: number | null;
}

/** A row of a chain, as stored. */
export interface ChainRow {
  sequence: number;
  id: string;
  at: Date;
  kind: string;
  ofSequence: number | null;
  /** JSON text of the row's head and its facts. */
  facts: string;
  digest: Buffer;
}

/** Returns the digest of a row: SHA-256 of the previous digest, the sequence in decimal, a space, and the facts in UTF-8. */
export function digestOf(previous: Buffer, sequence: number, facts: string): Buffer {
  return createHash('sha256').update(previous).update(`${sequence} ${facts}`).digest();
}
