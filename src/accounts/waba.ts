import { AppError } from '../core/errors.ts';

/** A business account that an organization has connected. */
export interface Waba {
  organizationId: string;
  wabaId: string;
  /** The app that its token belongs to; null stands for the app of the environment. */
  appId: string | null;
  /** True if any of its numbers is registered. */
  hasRegisteredNumber: boolean;
}

/** True if `text` has the form of the upstream's ids. Any other text in a path names nothing. */
export function isUpstreamId(text: string): boolean {
  return /^[0-9A-Za-z_-]{1,64}$/.test(text);
}

/** Returns the error for an id that names no WABA of the organization. */
export function wabaNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no business account with this id.');
}

/** Returns the error for an id that names no number of the organization. */
export function numberNotFound(): AppError {
  return new AppError(
    'ACCOUNT_NOT_FOUND',
    'There is no sending number with this id, which is not the number itself but its phone_number_id.',
  );
}
