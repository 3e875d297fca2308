export { flowIdOf, type TrafficClass, trafficClasses, trafficClassOf } from './flow-id.ts';
export { createScheduler } from './scheduler.ts';
export type {
  Dispatch,
  FlowRead,
  NumberOpening,
  QueueRow,
  ReadRequest,
  RecipientRead,
  Scheduler,
  SchedulerOptions,
  Settlement,
} from './scheduler-types.ts';
