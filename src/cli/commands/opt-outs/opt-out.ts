/** An opt-out as the API shows it. */
export interface OptOut {
  id: string;
  phone_number_id: string;
  person: string | null;
  user_id: string | null;
  source: string;
  opted_out_at: string;
}

/** Returns the name of a person for people to read. */
export function personOf({ person, user_id }: Pick<OptOut, 'person' | 'user_id'>): string {
  return person === null ? (user_id ?? '') : `+${person}`;
}
