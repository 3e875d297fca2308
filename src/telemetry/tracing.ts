import {
  type Attributes,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

/** A piece of work others may follow. */
interface TracedWork {
  /** What to hand on so that what follows belongs to it; undefined when nobody traces. */
  readonly traceparent: string | undefined;
  /** Ends it; `error` says in a word why it failed. */
  end(error?: string): void;
}

/** Begins work that belongs to `traceparent`, or to nothing that is known. */
type StartTracedWork = (name: string, traceparent: string | undefined, attributes?: Attributes) => TracedWork;

export interface Tracing {
  /** Work asked for from outside. */
  startServer: StartTracedWork;
  /** Work asked of somebody else. */
  startClient: StartTracedWork;
}

/**
 * Traces through the OpenTelemetry API. Whoever wants the spans loads an SDK into the process; without one no span is made, and
 * a caller's trace context passes through to the upstream as it came.
 */
export function createTracing(): Tracing {
  const tracer = trace.getTracer('fairway');
  const startAs =
    (kind: SpanKind): StartTracedWork =>
    (name, traceparent, attributes = {}) => {
      const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      const span = tracer.startSpan(name, { kind, attributes }, context);
      return {
        traceparent: traceparentOf(span.spanContext()),
        end(error) {
          if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
          span.end();
        },
      };
    };
  return { startServer: startAs(SpanKind.SERVER), startClient: startAs(SpanKind.CLIENT) };
}

function traceparentOf(context: SpanContext): string | undefined {
  return isSpanContextValid(context) ? formatTraceparent(context) : undefined;
}
