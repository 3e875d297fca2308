import { invalid } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { FailedPlace, SettledPlace } from './delivery-queries.ts';

/** The place before the newest settled delivery. */
export const NEWEST_PLACE: SettledPlace = {
  atSeconds: Date.UTC(9999, 0) / 1000,
  subjectId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  sequence: 32_767,
};

/** A place among settled deliveries as callers see it. */
export function encodePlace({ atSeconds, subjectId, sequence }: SettledPlace): string {
  return Buffer.from(`${atSeconds}/${subjectId}/${sequence}`).toString('base64url');
}

/** Reads what `encodePlace` made. Raises VALIDATION_ERROR for anything else. A place says nothing about whose deliveries are read. */
export function decodePlace(text: string): SettledPlace {
  const [, seconds = '', subjectId = '', sequence = ''] =
    /^(\d{1,12})\/([0-9a-f-]{36})\/(\d{1,5})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (!isUuid(subjectId) || Number(seconds) > NEWEST_PLACE.atSeconds || Number(sequence) > 32_767) {
    throwMangled();
  }
  return { atSeconds: Number(seconds), subjectId, sequence: Number(sequence) };
}

/** Where a replay of failed deliveries goes on: what has failed since it began (epoch ms) is none of its own. */
export interface ReplayPlace {
  untilMs: number;
  place: FailedPlace;
}

/** The place before whatever failed at `failedAtMs`. */
export function placeBefore(failedAtMs: number): FailedPlace {
  return { failedAtMs, subjectId: '00000000-0000-0000-0000-000000000000', sequence: 0 };
}

/** The place of a replay as callers see it. */
export function encodeReplayPlace({ untilMs, place }: ReplayPlace): string {
  return Buffer.from(`${untilMs}/${place.failedAtMs}/${place.subjectId}/${place.sequence}`).toString('base64url');
}

/** Reads what `encodeReplayPlace` made. Raises VALIDATION_ERROR for anything else. */
export function decodeReplayPlace(text: string): ReplayPlace {
  const [, untilMs = '', failedAtMs = '', subjectId = '', sequence = ''] =
    /^(\d{1,14})\/(\d{1,14})\/([0-9a-f-]{36})\/(\d{1,5})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (!isUuid(subjectId) || Number(sequence) > 32_767) throwMangled();
  return {
    untilMs: Number(untilMs),
    place: { failedAtMs: Number(failedAtMs), subjectId, sequence: Number(sequence) },
  };
}

/** Refuses what no earlier answer gave as the place to go on. */
export function throwMangled(): never {
  throw invalid('"after" must be what an earlier answer gave.');
}
