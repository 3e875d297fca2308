export { Spool } from './spool.ts';
export type { SpooledFile } from './spooled-file.ts';
