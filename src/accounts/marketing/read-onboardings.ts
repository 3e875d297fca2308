import type { Logger } from 'pino';
import { AppError } from '../../core/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { Accounts } from '../accounts.ts';
import { publishWaba } from '../follow/park-account.ts';
import {
  claimOnboardingReadings,
  postponeOnboardingReading,
  storeOnboarding,
  type WabaKey,
} from './marketing-queries.ts';

interface OnboardingDeps {
  db: Database;
  log: Logger;
  accounts: Pick<Accounts, 'tokenOf'>;
  upstream: Pick<Upstream, 'readOnboarding'>;
}

const CLAIMS_AT_ONCE = 4;

/**
 * Reads the admission to `/marketing_messages` of the accounts that are due: once a day, and after a webhook about it. Several nodes share
 * the work.
 */
export async function readOnboardings(deps: OnboardingDeps): Promise<void> {
  for (let more = true; more; ) {
    const claimed = await claimOnboardingReadings(deps.db, CLAIMS_AT_ONCE);
    await Promise.all(claimed.map((waba) => readOne(deps, waba)));
    more = claimed.length === CLAIMS_AT_ONCE;
  }
}

async function readOne({ db, log, accounts, upstream }: OnboardingDeps, waba: WabaKey): Promise<void> {
  const { organizationId, wabaId } = waba;
  try {
    const { token } = await accounts.tokenOf(organizationId, wabaId);
    const read = await upstream.readOnboarding(wabaId, token);
    if (read.kind === 'ok') {
      await db.transaction(async (tx) => {
        if (await storeOnboarding(tx, waba, read.value.status)) await publishWaba(tx, waba);
      });
    } else if (read.kind === 'throttled' || read.kind === 'unavailable') await postponeOnboardingReading(db, wabaId);
  } catch (error) {
    // The account was disconnected since it was claimed.
    if (error instanceof AppError && error.code === 'NOT_FOUND') return;
    log.warn({ err: error, wabaId }, 'admission to marketing messages not read; trying again tomorrow');
  }
}
