import type { Logger } from 'pino';
import type { Accounts, UsedToken } from '../../accounts/index.ts';
import { AppError } from '../../core/errors.ts';
import type { NumberBook } from '../numbers/number-book.ts';
import type { Parking } from '../numbers/parking.ts';
import type { Dispatch } from '../scheduler/index.ts';

/** An account's token before an attempt used it. */
export type KnownToken = Omit<UsedToken, 'begunAtMs'>;

/** The number and the token that a message is sent with. */
export interface Sending {
  phoneNumberId: string;
  token: string;
  used: KnownToken;
}

export interface TokenLookupDeps {
  accounts: Pick<Accounts, 'tokenOf'>;
  book: Pick<NumberBook, 'find'>;
  log: Logger;
  parking: Pick<Parking, 'park'>;
}

/** Finds the token of the account that sends a message. */
export class TokenLookup {
  readonly #deps: TokenLookupDeps;

  constructor(deps: TokenLookupDeps) {
    this.#deps = deps;
  }

  /** Returns undefined if the number moved to another node, or if its token cannot be read now: then its account is parked. */
  async find(dispatch: Dispatch): Promise<Sending | undefined> {
    const { accounts, book, log, parking } = this.#deps;
    const number = book.find(dispatch.numberId);
    if (number === undefined) return undefined;
    try {
      const { token, version, readAt } = await accounts.tokenOf(number.organizationId, number.wabaId);
      return { phoneNumberId: number.phoneNumberId, token, used: { wabaId: number.wabaId, version, readAt } };
    } catch (error) {
      // The account was disconnected a moment ago. Its waiting messages end as soon as this process hears of it.
      const isDisconnected = error instanceof AppError && error.code === 'NOT_FOUND';
      if (!isDisconnected)
        log.error({ err: error, wabaId: number.wabaId }, 'token not read; the account is parked and its messages wait');
      // The error of a token that no key can open says how to fix it.
      const reason = error instanceof AppError ? error.message : 'token not readable';
      parking.park(dispatch, number.wabaId, { scope: 'waba', waitMs: 1_000, reason });
      return undefined;
    }
  }
}
