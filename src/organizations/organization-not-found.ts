import { AppError } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';

/** The error for an id without an organization. */
export function organizationNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no organization with this id.');
}

/** Refuses a malformed organization id with the same error as an unknown one. Raises NOT_FOUND. */
export function checkOrganizationId(organizationId: string): void {
  if (!isUuid(organizationId)) throw organizationNotFound();
}
