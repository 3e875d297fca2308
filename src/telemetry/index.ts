export { EventLoopDelay } from './event-loop-delay.ts';
export { createMetrics, type Distribution, DURATION_BUCKETS, type Metrics, type Tally } from './metrics.ts';
export {
  createTracing,
  keepTraceContext,
  sendUninstrumented,
  servedTraceparent,
  serveUnder,
  startClientWork,
  type Tracing,
} from './tracing.ts';
