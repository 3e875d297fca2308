import { type Accounts, wabaNotFound } from '../../accounts/index.ts';
import { AppError } from '../../core/errors.ts';
import type { Queryable } from '../../database/database.ts';
import { fieldNames } from '../../http/index.ts';
import { findTemplate, type TemplateRecord } from './record-queries.ts';
import { renderGraphTemplate } from './template-view.ts';

/** A template of the organization. Raises NOT_FOUND, in the same words for one that is another organization's. */
export async function getTemplate(
  deps: { db: Queryable },
  organizationId: string,
  id: string,
): Promise<TemplateRecord> {
  const record = isTemplateId(id) ? await findTemplate(deps.db, organizationId, id) : undefined;
  if (record === undefined) throw templateNotFound();
  return record;
}

/** A template of the organization as the Cloud API shows it, as JSON text; undefined when `id` names none. */
export async function findTemplateNode(
  deps: { db: Queryable },
  organizationId: string,
  id: string,
  fields: string | undefined,
): Promise<string | undefined> {
  const record = isTemplateId(id) ? await findTemplate(deps.db, organizationId, id) : undefined;
  return record && renderGraphTemplate(record, fields === undefined ? undefined : fieldNames(fields));
}

/** A WABA of the organization. Raises NOT_FOUND, in the same words for one that is another organization's. */
export async function getWaba(
  deps: { accounts: Pick<Accounts, 'findWaba'> },
  organizationId: string,
  wabaId: string,
): Promise<{ wabaId: string; hasRegisteredNumber: boolean }> {
  const waba = await deps.accounts.findWaba(organizationId, wabaId);
  if (waba === undefined) throw wabaNotFound();
  return waba;
}

/** The answer for an id that names no template of the organization. */
export function templateNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no template with this id.');
}

/** Whether `text` can be the upstream's id of a template. */
export function isTemplateId(text: string): boolean {
  return /^\d{1,30}$/.test(text);
}
