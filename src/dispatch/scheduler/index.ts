export { flowIdOf, type TrafficClass, trafficClasses, trafficClassOf } from './flow-id.ts';
export { Scheduler } from './scheduler.ts';
export type { SchedulerOptions } from './scheduler-options.ts';
export type {
  Dispatch,
  NumberOpening,
  QueueRow,
  ReadRequest,
  Settlement,
} from './scheduler-types.ts';
