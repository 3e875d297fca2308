export { applyOptOutActs } from './apply-acts.ts';
export type { OptOutAct } from './opt-out.ts';
export { createOptOuts, type OptOuts } from './opt-outs.ts';
export { optOutRoutes } from './routes.ts';
export { isStopMessage } from './stop-words.ts';
