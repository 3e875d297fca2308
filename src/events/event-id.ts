/** What an event's id is made of. */
export interface EventKey {
  /** The message an event tells of, or the event's own id where it tells of something else; a UUID. */
  subjectId: string;
  /** 1, 2, 3 … per subject. */
  sequence: number;
}

/**
 * The public id of an event, `evt_` with 36 hexadecimal digits: unique, the same whenever the event is shown or delivered, and
 * without the dots Standard Webhooks forbids. It names the row, so none has to be stored.
 */
export function eventId({ subjectId, sequence }: EventKey): string {
  return `evt_${subjectId.replaceAll('-', '')}${sequence.toString(16).padStart(4, '0')}`;
}

/** What an event id names; undefined for anything that is no event id. Says nothing about whether the event exists. */
export function parseEventId(id: string): EventKey | undefined {
  const match = /^evt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})([0-7][0-9a-f]{3})$/.exec(id);
  if (match === null) return undefined;
  return { subjectId: match.slice(1, 6).join('-'), sequence: Number.parseInt(match[6] ?? '', 16) };
}
