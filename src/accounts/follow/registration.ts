import { AppError } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { publishChange } from '../../database/changes/change-feed.ts';
import type { Database } from '../../database/database.ts';
import type { SendingNumber } from '../sending-number.ts';
import { lockWabas } from './followed-change-queries.ts';
import { NOT_REGISTERED, parkNumberUntil } from './parking-queries.ts';
import { countRegistrationCall, setDeregistered, setRegistered } from './registration-queries.ts';

type NumberRef = Pick<SendingNumber, 'organizationId' | 'phoneNumberId' | 'wabaId'>;

/**
 * Counts a call that registers or deregisters a number. Raises RATE_LIMITED after ten within 72 hours: at the next one the platform would
 * lock the number.
 */
export async function guardRegistration(
  { db, clock }: { db: Database; clock: Clock },
  { organizationId, phoneNumberId }: NumberRef,
): Promise<void> {
  const now = new Date(clock.now());
  const until = await countRegistrationCall(db, organizationId, phoneNumberId, now);
  if (until === null) return;
  throw new AppError(
    'RATE_LIMITED',
    'The number was registered or deregistered ten times within 72 hours. The platform would lock it at the next call.',
    { retryAfterSeconds: (until.getTime() - now.getTime()) / 1000 },
  );
}

/**
 * Stores that a number was registered or deregistered through the gateway, on every node within a second. The waiting messages of a
 * deregistered number wait until it is registered again.
 */
export async function followRegistration(
  { db, clock }: { db: Database; clock: Clock },
  { organizationId, phoneNumberId, wabaId }: NumberRef,
  registered: boolean,
): Promise<void> {
  const now = new Date(clock.now());
  await db.transaction(async (tx) => {
    await lockWabas(tx, [wabaId]);
    if (registered) {
      await setRegistered(tx, organizationId, phoneNumberId, NOT_REGISTERED, now);
    } else {
      await setDeregistered(tx, organizationId, phoneNumberId, now);
      const parked = { code: NOT_REGISTERED, reason: 'The number was deregistered through the API.' };
      await parkNumberUntil(tx, phoneNumberId, parked, null, now);
    }
    await publishChange(tx, 'waba', wabaId);
    await publishChange(tx, 'number', phoneNumberId);
  });
}
