export type { AttemptNote } from './attempt-note.ts';
export { findQueuePlace, listAttempts } from './attempt-queries.ts';
export { Dispatcher, type DispatcherDeps } from './dispatcher.ts';
export { explainWaiting } from './explain-queue.ts';
export type { SettledMessage } from './outbox.ts';
export type { QueuedRow, QueueSink } from './queue-sink.ts';
export { queueRoutes } from './routes.ts';
export { flowIdOf } from './scheduler/index.ts';
export { trafficClassOfCategory } from './traffic-class.ts';
