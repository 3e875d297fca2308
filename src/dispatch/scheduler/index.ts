export { flowIdOf, type TrafficClass, trafficClasses, trafficClassOf } from './flow-id.ts';
export { Scheduler } from './scheduler.ts';
export type { SchedulerOptions } from './scheduler-options.ts';
export type {
  Dispatch,
  FlowRead,
  NumberOpening,
  QueueRow,
  ReadRequest,
  RecipientRead,
  Settlement,
} from './scheduler-types.ts';
