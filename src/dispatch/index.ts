export { Dispatcher, type DispatcherDeps } from './dispatcher.ts';
export type { SettledMessage } from './outbox.ts';
export type { QueuedRow, QueueSink } from './queue-sink.ts';
export { queueRoutes } from './routes.ts';
export { flowIdOf } from './scheduler/index.ts';
export { trafficClassOfCategory } from './traffic-class.ts';
