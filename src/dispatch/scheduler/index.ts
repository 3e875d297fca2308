export {
  flowIdOf,
  keyNumberSql,
  listByClass,
  type TrafficClass,
  type TrafficClassName,
  trafficClasses,
  trafficClassNameOf,
  valueOfClassSql,
} from './flow-id.ts';
export { Scheduler } from './scheduler.ts';
export type { SchedulerOptions } from './scheduler-options.ts';
export type {
  Dispatch,
  FlowRead,
  NextMessages,
  NumberOpening,
  QueueRow,
  ReadRequest,
  RecipientRead,
  Settlement,
} from './scheduler-types.ts';
