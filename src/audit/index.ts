export { dropPastEntries } from './drop-past-entries.ts';
export { auditHooks, auditRoutes } from './routes.ts';
