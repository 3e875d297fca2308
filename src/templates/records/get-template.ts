import { type Accounts, wabaNotFound } from '../../accounts/index.ts';
import { AppError } from '../../core/errors.ts';
import type { Queryable } from '../../database/database.ts';
import { fieldNames } from '../../http/index.ts';
import { findTemplate, type TemplateRecord } from './record-queries.ts';
import { renderGraphTemplate } from './template-view.ts';

/** Returns a template of the organization. Raises NOT_FOUND, with the same text for another organization's template. */
export async function getTemplate(
  deps: { db: Queryable },
  organizationId: string,
  id: string,
): Promise<TemplateRecord> {
  const record = isTemplateId(id) ? await findTemplate(deps.db, organizationId, id) : undefined;
  if (record === undefined) throw templateNotFound();
  return record;
}

/** Returns a template of the organization in the Cloud API's form, as JSON text; undefined when `id` names none. */
export async function findTemplateNode(
  deps: { db: Queryable },
  organizationId: string,
  id: string,
  fields: string | undefined,
): Promise<string | undefined> {
  const record = isTemplateId(id) ? await findTemplate(deps.db, organizationId, id) : undefined;
  return record && renderGraphTemplate(record, fields === undefined ? undefined : fieldNames(fields));
}

/** Returns the WABA of an organization's template; undefined when `id` names none. */
export async function findTemplateWaba(
  deps: { db: Queryable },
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const record = isTemplateId(id) ? await findTemplate(deps.db, organizationId, id) : undefined;
  return record?.wabaId;
}

/** Returns a WABA of the organization. Raises NOT_FOUND, with the same text for another organization's WABA. */
export async function getWaba(
  deps: { accounts: Pick<Accounts, 'findWaba'> },
  organizationId: string,
  wabaId: string,
): Promise<{ wabaId: string; hasRegisteredNumber: boolean }> {
  const waba = await deps.accounts.findWaba(organizationId, wabaId);
  if (waba === undefined) throw wabaNotFound();
  return waba;
}

/** Returns the error for an id that names no template of the organization. */
export function templateNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no template with this id.');
}

/** True if `text` has the form of the upstream's template ids. */
export function isTemplateId(text: string): boolean {
  return /^\d{1,30}$/.test(text);
}
