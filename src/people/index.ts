export type { Identified } from './account-people.ts';
export { findStoredPeople } from './find-stored-people.ts';
export { createPeople, type People } from './people.ts';
export type { KeyMerge } from './queries.ts';
export { isUserId, type PersonNames, phoneNumberOf, type Sighting, USER_ID_PATTERN } from './sighting.ts';
