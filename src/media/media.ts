import { RateMeter } from '../core/limits/rate-meter.ts';
import type { Spool } from '../spool/index.ts';
import type { FindDeps } from './objects/find-media.ts';

/** Dependencies of media operations, and state shared between requests. */
export interface Media extends FindDeps {
  /** Spool in which uploads wait until they are complete: fields may come after the file. */
  spool: Spool;
}

export function createMedia(deps: Omit<Media, 'lookups'>): Media {
  return { ...deps, lookups: new RateMeter() };
}
