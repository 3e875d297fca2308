export { dropPastEntries } from './drop-past-entries.ts';
export type { AuditDeps } from './record-change.ts';
export { recordSignIn } from './record-sign-in.ts';
export { auditHooks, auditRoutes } from './routes.ts';
