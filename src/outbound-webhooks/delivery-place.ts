import { AppError } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import type { SettledPlace } from './delivery-queries.ts';

/** The place before the newest settled delivery. */
export const NEWEST_PLACE: SettledPlace = {
  eventAtMs: Date.UTC(9999, 0),
  subjectId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  sequence: 32_767,
};

/** The place before the oldest. */
export const OLDEST_PLACE: SettledPlace = {
  eventAtMs: 0,
  subjectId: '00000000-0000-0000-0000-000000000000',
  sequence: 0,
};

/** A place among settled deliveries as callers see it. */
export function encodePlace({ eventAtMs, subjectId, sequence }: SettledPlace): string {
  return Buffer.from(`${eventAtMs / 1000}/${subjectId}/${sequence}`).toString('base64url');
}

/** Reads what `encodePlace` made. Raises VALIDATION_ERROR for anything else. A place says nothing about whose deliveries are read. */
export function decodePlace(text: string): SettledPlace {
  const [, seconds = '', subjectId = '', sequence = ''] =
    /^(\d{1,12})\/([0-9a-f-]{36})\/(\d{1,5})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (!isUuid(subjectId) || Number(seconds) > NEWEST_PLACE.eventAtMs / 1000 || Number(sequence) > 32_767) {
    throw new AppError('VALIDATION_ERROR', '"after" must be what an earlier answer gave.');
  }
  return { eventAtMs: Number(seconds) * 1000, subjectId, sequence: Number(sequence) };
}
