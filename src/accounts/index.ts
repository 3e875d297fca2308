export { type Accounts, createAccounts } from './accounts.ts';
export { type ConnectDeps, connectWaba } from './connect-waba.ts';
export { endPastRestrictions, followAccountChanges } from './follow-account-changes.ts';
export { clearParked, parkNumber, parkWaba } from './park-account.ts';
export { patchNumber } from './patch-number.ts';
export { accountRoutes } from './routes.ts';
export type { SendingNumber } from './sending-number.ts';
export { SHARD_COUNT, shardOf } from './shards.ts';
export { syncWaba } from './sync-waba.ts';
