import { AppError } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';

/** The answer for an id that names no organization. */
export function organizationNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no organization with this id.');
}

/** Refuses an id that cannot name an organization, in the words for one that does not. Raises NOT_FOUND. */
export function checkOrganizationId(organizationId: string): void {
  if (!isUuid(organizationId)) throw organizationNotFound();
}
