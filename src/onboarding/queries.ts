import type { Queryable } from '../database/database.ts';
import type { OnboardingState, StepRecord } from './steps.ts';

/** The parts of an onboarding that its steps change. */
export interface OnboardingFacts {
  /** The Meta app; null stands for the app of the environment. */
  appId: string | null;
  tokenSealed: Buffer | null;
  pinSealed: Buffer | null;
  wabaId: string | null;
  phoneNumberId: string | null;
  testRecipient: string | null;
  templateName: string;
  templateLanguage: string;
  /** True if a person asked for the app's webhooks to be taken from the address they go to. */
  replaceCallback: boolean;
  messageId: string | null;
  attempt: number;
}

export interface Onboarding extends OnboardingFacts {
  organizationId: string;
  id: string;
  setupLinkId: string | null;
  createdAt: Date;
  updatedAt: Date;
  state: OnboardingState;
  steps: StepRecord[];
  epoch: number;
  /** True while a node works on it. */
  isClaimed: boolean;
}

/** Time in which a claim ends unless it is renewed. */
const CLAIM = "interval '30 seconds'";

const COLUMNS = `
  organization_id AS "organizationId", id, app_id AS "appId", setup_link_id AS "setupLinkId", created_at AS "createdAt", updated_at AS "updatedAt", state,
  steps, token_sealed AS "tokenSealed", pin_sealed AS "pinSealed", waba_id AS "wabaId", phone_number_id AS "phoneNumberId",
  test_recipient AS "testRecipient", template_name AS "templateName", template_language AS "templateLanguage",
  replace_callback AS "replaceCallback", message_id AS "messageId", attempt, epoch,
  coalesce(claimed_until > now(), false) AS "isClaimed"`;

/** Columns that the steps change, in the order of `progressOf`. */
const PROGRESS_COLUMNS = `
  state, steps, token_sealed, pin_sealed, waba_id, phone_number_id, test_recipient, template_name, template_language, replace_callback,
  message_id, attempt, app_id`;
/** The parameters of `progressOf`, after three others. */
const PROGRESS_PARAMETERS = '$4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16';

function progressOf(one: Onboarding): unknown[] {
  return [
    one.state,
    JSON.stringify(one.steps),
    one.tokenSealed,
    one.pinSealed,
    one.wabaId,
    one.phoneNumberId,
    one.testRecipient,
    one.templateName,
    one.templateLanguage,
    one.replaceCallback,
    one.messageId,
    one.attempt,
    one.appId,
  ];
}

/**
 * Stores a new onboarding, also with its set-up link. It is due at once, or after `waitSeconds`. Returns false, and stores nothing, if the
 * link has one already.
 */
export async function insertOnboarding(db: Queryable, one: Onboarding, waitSeconds: number): Promise<boolean> {
  const rows = await db.query({
    text: `
      WITH link AS (
        UPDATE setup_link SET onboarding_id = $2 WHERE organization_id = $1 AND id = $3 AND onboarding_id IS NULL RETURNING 1
      )
      INSERT INTO onboarding (organization_id, id, setup_link_id, ${PROGRESS_COLUMNS}, created_at, updated_at, due_at)
      SELECT $1, $2, $3, ${PROGRESS_PARAMETERS}, $17, $17, now() + make_interval(secs => $18)
      WHERE $3::uuid IS NULL OR EXISTS (SELECT FROM link)
      RETURNING 1`,
    values: [one.organizationId, one.id, one.setupLinkId, ...progressOf(one), one.createdAt, waitSeconds],
  });
  return rows.length > 0;
}

/** Returns an onboarding of the organization. With `lock`, its row is locked until the transaction ends. */
export async function findOnboarding(
  db: Queryable,
  organizationId: string,
  id: string,
  lock = false,
): Promise<Onboarding | undefined> {
  const rows = await db.query<Onboarding>({
    text: `SELECT ${COLUMNS} FROM onboarding WHERE organization_id = $1 AND id = $2 ${lock ? 'FOR NO KEY UPDATE' : ''}`,
    values: [organizationId, id],
  });
  return rows[0];
}

/** Returns a page of the organization's onboardings, the newest first. */
export async function listOnboardings(
  db: Queryable,
  organizationId: string,
  before: string | undefined,
  limit: number,
): Promise<Onboarding[]> {
  return await db.query<Onboarding>({
    text: `
      SELECT ${COLUMNS} FROM onboarding
      WHERE organization_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    values: [organizationId, before, limit],
  });
}

/** Claims due onboardings of all organizations, so that no other node works on them. */
export async function claimDue(db: Queryable, limit: number): Promise<Onboarding[]> {
  return await db.query<Onboarding>({
    name: 'onboarding_claim',
    text: `
      UPDATE onboarding o SET epoch = o.epoch + 1, claimed_until = now() + ${CLAIM}
      FROM (
        SELECT organization_id AS oid, id AS iid FROM onboarding
        WHERE due_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
        ORDER BY due_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
      ) d
      WHERE o.organization_id = d.oid AND o.id = d.iid
      RETURNING ${COLUMNS}`,
    values: [limit],
  });
}

type Claim = Pick<Onboarding, 'organizationId' | 'id' | 'epoch'>;

/** Prolongs a claim. Returns false if another one has replaced it. */
export async function renewClaim(db: Queryable, { organizationId, id, epoch }: Claim): Promise<boolean> {
  const rows = await db.query({
    text: `
      UPDATE onboarding SET claimed_until = now() + ${CLAIM}
      WHERE organization_id = $1 AND id = $2 AND epoch = $3 RETURNING 1`,
    values: [organizationId, id, epoch],
  });
  return rows.length > 0;
}

/**
 * Stores the progress of a claimed onboarding, or a change from outside. Without `rest` the claim goes on; else it ends, and the next look
 * is due after `afterMs`, or never with null. Returns false if another claim has replaced this one.
 */
export async function storeProgress(
  db: Queryable,
  one: Onboarding,
  now: Date,
  rest?: { afterMs: number | null },
): Promise<boolean> {
  const rows = await db.query({
    text: `
      UPDATE onboarding
      SET (${PROGRESS_COLUMNS}) = ROW (${PROGRESS_PARAMETERS}),
        updated_at = $17,
        claimed_until = CASE WHEN $18 THEN NULL ELSE claimed_until END,
        due_at = CASE WHEN $18 THEN now() + make_interval(secs => $19) ELSE due_at END
      WHERE organization_id = $1 AND id = $2 AND epoch = $3 RETURNING 1`,
    values: [
      one.organizationId,
      one.id,
      one.epoch,
      ...progressOf(one),
      now,
      rest !== undefined,
      rest === undefined || rest.afterMs === null ? null : rest.afterMs / 1000,
    ],
  });
  return rows.length > 0;
}

/** Raises the epoch of a locked onboarding and makes it due, so that no earlier claim writes any more. */
export async function beginAnew(tx: Queryable, one: Onboarding): Promise<Onboarding> {
  await tx.query({
    text: `
      UPDATE onboarding SET epoch = epoch + 1, claimed_until = NULL, due_at = now() WHERE organization_id = $1 AND id = $2`,
    values: [one.organizationId, one.id],
  });
  return { ...one, epoch: one.epoch + 1, isClaimed: false };
}

/** Deletes onboardings that have rested since `beforeMs` and hold no PIN that was never shown, and set-up links that expired before it. */
export async function sweepOnboardings(db: Queryable, beforeMs: number): Promise<void> {
  const before = new Date(beforeMs);
  await db.query({
    text: 'DELETE FROM onboarding WHERE due_at IS NULL AND pin_sealed IS NULL AND updated_at < $1',
    values: [before],
  });
  await db.query({ text: 'DELETE FROM setup_link WHERE expires_at < $1', values: [before] });
}

/** Ends a claim whose work failed unexpectedly. The next look is due after `afterMs`. */
export async function releaseClaim(db: Queryable, { organizationId, id, epoch }: Claim, afterMs: number) {
  await db.query({
    text: `
      UPDATE onboarding SET claimed_until = NULL, due_at = now() + make_interval(secs => $4)
      WHERE organization_id = $1 AND id = $2 AND epoch = $3`,
    values: [organizationId, id, epoch, afterMs / 1000],
  });
}

/** Ends the onboardings of an organization that are not done, and revokes its set-up links. */
export async function endOnboardingsOf(
  { db, clock }: { db: Queryable; clock: { now(): number } },
  organizationId: string,
): Promise<void> {
  const now = new Date(clock.now());
  await db.query({
    text: `
      UPDATE onboarding
      SET state = 'ended', updated_at = $2, token_sealed = NULL, test_recipient = NULL, epoch = epoch + 1, claimed_until = NULL, due_at = NULL
      WHERE organization_id = $1 AND state NOT IN ('done', 'ended')`,
    values: [organizationId, now],
  });
  await db.query({
    text: `
      UPDATE setup_link SET revoked_at = $2, state_hash = NULL, test_recipient = NULL
      WHERE organization_id = $1 AND revoked_at IS NULL`,
    values: [organizationId, now],
  });
}

/**
 * Takes a Meta app that is being deleted from onboardings that are over and from links that open nothing any more. The others keep it, which
 * refuses the deletion.
 */
export async function releaseApp(tx: Queryable, appId: string, now: Date): Promise<void> {
  await tx.query({
    text: "UPDATE onboarding SET app_id = NULL WHERE app_id = $1 AND state IN ('done', 'ended')",
    values: [appId],
  });
  await tx.query({
    text: 'UPDATE setup_link SET app_id = NULL WHERE app_id = $1 AND (revoked_at IS NOT NULL OR expires_at <= $2)',
    values: [appId, now],
  });
}
