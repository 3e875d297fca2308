import type { OptOut } from './opt-out.ts';

/** Renders an opt-out as the API shows it. */
export function renderOptOut({ id, phoneNumberId, phoneNumber, userId, source, optedOutAt }: OptOut) {
  return {
    id,
    phone_number_id: phoneNumberId,
    person: phoneNumber,
    user_id: userId,
    source,
    opted_out_at: optedOutAt.toISOString(),
  };
}
