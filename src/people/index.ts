export type { Identified } from './account-people.ts';
export { findStoredPeople } from './find-stored-people.ts';
export { createPeople, type People } from './people.ts';
export type { KeyMerge } from './queries.ts';
export { type PersonNames, phoneNumberOf, type Sighting } from './sighting.ts';
