export { type AccessToken, type Accounts, createAccounts } from './accounts.ts';
export { type ConnectDeps, type ConnectedWaba, connectWaba } from './connect-waba.ts';
export { clearParked, parkNumber, parkWaba } from './park-account.ts';
export { type NumberPatch, patchNumber } from './patch-number.ts';
export { accountRoutes } from './routes.ts';
export { isRegistered, type Parked, type SendingNumber } from './sending-number.ts';
export { SHARD_COUNT, shardOf } from './shards.ts';
export { syncWaba } from './sync-waba.ts';
export type { Waba } from './waba.ts';
