export { apiKeyNumberOf, flowIdOf, type TrafficClass, trafficClasses, trafficClassOf } from './flow-id.ts';
export { createScheduler } from './scheduler.ts';
export type {
  Dispatch,
  FlowRead,
  NumberExplanation,
  NumberOpening,
  PairDebt,
  Parking,
  QueueRow,
  ReadRequest,
  RecipientRead,
  Scheduler,
  SchedulerOptions,
  SchedulerTotals,
  Settlement,
} from './scheduler-types.ts';
