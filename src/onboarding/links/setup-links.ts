import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type Apps, refuseDeletedApp, storableApp } from '../../apps/index.ts';
import { sha256 } from '../../core/digest.ts';
import { AppError, invalid } from '../../core/errors.ts';
import { isUuid, newId } from '../../core/ids.ts';
import { parseRecipient } from '../../core/phone-number.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { getOrganization } from '../../organizations/index.ts';
import { DEFAULT_TEMPLATE, type Template } from '../change-onboarding.ts';
import { findLink, insertLink, revokeLink, type SetupLink } from './link-queries.ts';

export interface LinkDeps {
  db: Database;
  clock: Pick<Clock, 'now'>;
}

export const LINK_SECONDS = { min: 60, max: 30 * 86_400, default: 3 * 86_400 };
const SECRET_BYTES = 32;

/** Creates a set-up link. `secret` is the only copy: its hash alone is stored. Raises NOT_FOUND, VALIDATION_ERROR. */
export async function createLink(
  deps: LinkDeps & { apps: Pick<Apps, 'defaultAppId' | 'find'> },
  organizationId: string,
  given: {
    expiresInSeconds: number;
    appId: string | null;
    testRecipient: string | undefined;
    template: Template | undefined;
  },
): Promise<{ link: SetupLink; secret: string }> {
  const organization = await getOrganization(deps, organizationId);
  if (organization.test) throw invalid('A test organization has its business account already.');
  const digits = given.testRecipient === undefined ? undefined : parseRecipient(given.testRecipient);
  if (given.testRecipient !== undefined && digits === undefined) {
    throw invalid('"test_recipient" must be a phone number with "+" and country code.');
  }
  const nowMs = deps.clock.now();
  const id = newId(nowMs);
  const secret = secretOf(organization.id, id);
  const { name, language } = given.template ?? DEFAULT_TEMPLATE;
  const link: SetupLink = {
    ...{ organizationId: organization.id, id, secretHash: sha256(secret), createdAt: new Date(nowMs) },
    ...{ expiresAt: new Date(nowMs + given.expiresInSeconds * 1000), revokedAt: null, onboardingId: null },
    appId: await storableApp(deps, given.appId),
    ...{ testRecipient: digits === undefined ? null : `+${digits}`, templateName: name, templateLanguage: language },
  };
  await insertLink(deps.db, link).catch(refuseDeletedApp);
  return { link, secret };
}

/** Revokes a link, on every node at once. Raises NOT_FOUND. */
export async function endLink({ db, clock }: LinkDeps, organizationId: string, id: string): Promise<void> {
  const isFound =
    isUuid(organizationId) && isUuid(id) && (await revokeLink(db, organizationId, id, new Date(clock.now())));
  if (!isFound) throw new AppError('NOT_FOUND', 'The organization has no set-up link with this id.');
}

/** Returns the link of a secret; undefined for a wrong, expired or revoked one. */
export async function findLinkBySecret(deps: LinkDeps, secret: string): Promise<SetupLink | undefined> {
  const bytes = Buffer.from(secret, 'base64url');
  if (bytes.length !== 32 + SECRET_BYTES) return undefined;
  const [organizationId, id] = [uuidAt(bytes, 0), uuidAt(bytes, 16)];
  const link = await findUsableLink(deps, organizationId, id);
  return link !== undefined && timingSafeEqual(link.secretHash, sha256(secret)) ? link : undefined;
}

/** Returns a link by its id; undefined for an expired or revoked one. */
export async function findUsableLink(
  { db, clock }: LinkDeps,
  organizationId: string,
  id: string,
): Promise<SetupLink | undefined> {
  const link = await findLink(db, organizationId, id);
  const isUsable = link !== undefined && link.revokedAt === null && link.expiresAt.getTime() > clock.now();
  return isUsable ? link : undefined;
}

/** Returns a secret that names its link, so that the link is found within its organization. */
function secretOf(organizationId: string, id: string): string {
  const ids = Buffer.from(`${organizationId}${id}`.replaceAll('-', ''), 'hex');
  return Buffer.concat([ids, randomBytes(SECRET_BYTES)]).toString('base64url');
}

function uuidAt(bytes: Buffer, offset: number): string {
  const hex = bytes.subarray(offset, offset + 16).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
