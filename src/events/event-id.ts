/** The parts of an event's id. */
export interface EventKey {
  /** The message of the event, or the event's own id if it is not about a message; a UUID. */
  subjectId: string;
  /** 1, 2, 3 … per subject. */
  sequence: number;
}

/**
 * Returns the public id of an event, `evt_` with 36 hexadecimal digits. It is unique, the same in every list and delivery, and free of
 * dots, which Standard Webhooks forbids. It identifies the row, so no id has to be stored.
 */
export function eventId({ subjectId, sequence }: EventKey): string {
  return `evt_${subjectId.replaceAll('-', '')}${sequence.toString(16).padStart(4, '0')}`;
}

/** Parses an event id; undefined if the text is none. The event may not exist. */
export function parseEventId(id: string): EventKey | undefined {
  const match = /^evt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})([0-7][0-9a-f]{3})$/.exec(id);
  if (match === null) return undefined;
  return { subjectId: match.slice(1, 6).join('-'), sequence: Number.parseInt(match[6] ?? '', 16) };
}
