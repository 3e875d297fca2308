export { EventLoopDelay } from './event-loop-delay.ts';
export { lastingOf, mergeMetrics, renderMerged } from './merge-metrics.ts';
export {
  createMetrics,
  type Distribution,
  DURATION_BUCKETS,
  type GatherMetrics,
  type MetricSet,
  type Metrics,
  type Tally,
} from './metrics.ts';
export {
  createTracing,
  keepTraceContext,
  sendUninstrumented,
  servedTraceparent,
  serveUnder,
  startClientWork,
  type Tracing,
} from './tracing.ts';
export { countWorkerEvents, publishWorkers } from './worker-metrics.ts';
