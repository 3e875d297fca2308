import type { SendingNumber } from '../../accounts/index.ts';
import type { IdKind } from '../table/edge.ts';

/** An object that an organization owns, with the account whose token reaches it. */
export interface Owned {
  kind: IdKind;
  /** The id as stored, never as the client wrote it. */
  objectId: string;
  wabaId: string;
  /** The number itself, or the number of a group. */
  number: SendingNumber | undefined;
}
