import { invalid } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { FailedPlace, SettledPlace } from './delivery-queries.ts';

/** Place before the newest settled delivery. */
export const NEWEST_PLACE: SettledPlace = {
  atSeconds: Date.UTC(9999, 0) / 1000,
  subjectId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  sequence: 32_767,
};

/** Encodes a place among settled deliveries for callers. */
export function encodePlace({ atSeconds, subjectId, sequence }: SettledPlace): string {
  return Buffer.from(`${atSeconds}/${subjectId}/${sequence}`).toString('base64url');
}

/** Reads a place that `encodePlace` made. Raises VALIDATION_ERROR for any other text. A place does not say whose deliveries are read. */
export function decodePlace(text: string): SettledPlace {
  const [, seconds = '', subjectId = '', sequence = ''] =
    /^(\d{1,12})\/([0-9a-f-]{36})\/(\d{1,5})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (!isUuid(subjectId) || Number(seconds) > NEWEST_PLACE.atSeconds || Number(sequence) > 32_767) {
    throwMangled();
  }
  return { atSeconds: Number(seconds), subjectId, sequence: Number(sequence) };
}

/** Place where a replay of failed deliveries continues. Deliveries that failed after it began (`untilMs`, epoch ms) are not part of it. */
export interface ReplayPlace {
  untilMs: number;
  place: FailedPlace;
}

/** Returns the place before every delivery that failed at `failedAtMs`. */
export function placeBefore(failedAtMs: number): FailedPlace {
  return { failedAtMs, subjectId: '00000000-0000-0000-0000-000000000000', sequence: 0 };
}

/** Encodes the place of a replay for callers. */
export function encodeReplayPlace({ untilMs, place }: ReplayPlace): string {
  return Buffer.from(`${untilMs}/${place.failedAtMs}/${place.subjectId}/${place.sequence}`).toString('base64url');
}

/** Reads a place that `encodeReplayPlace` made. Raises VALIDATION_ERROR for any other text. */
export function decodeReplayPlace(text: string): ReplayPlace {
  const [, untilMs = '', failedAtMs = '', subjectId = '', sequence = ''] =
    /^(\d{1,14})\/(\d{1,14})\/([0-9a-f-]{36})\/(\d{1,5})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (!isUuid(subjectId) || Number(sequence) > 32_767) throwMangled();
  return {
    untilMs: Number(untilMs),
    place: { failedAtMs: Number(failedAtMs), subjectId, sequence: Number(sequence) },
  };
}

/** Refuses an `after` that no earlier answer gave. Raises VALIDATION_ERROR. */
export function throwMangled(): never {
  throw invalid('"after" must be what an earlier answer gave.');
}
