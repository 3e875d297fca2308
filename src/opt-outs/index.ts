export { applyOptOutActs } from './apply-acts.ts';
export type { OptOutAct } from './opt-out.ts';
export { renderOptOut } from './opt-out-view.ts';
export { createOptOuts, type OptOuts } from './opt-outs.ts';
export { listOptOuts } from './queries.ts';
export { optOutRoutes } from './routes.ts';
export { optOut as optOutSchema } from './schemas.ts';
export { isStopMessage } from './stop-words.ts';
