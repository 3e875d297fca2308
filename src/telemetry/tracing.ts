import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

/** A piece of work that others may follow. */
export interface TracedWork {
  /** The W3C trace context that later work belongs to; undefined if nothing is traced. */
  readonly traceparent: string | undefined;
  /** Ends it; `error` says in a word why it failed. */
  end(error?: string): void;
}

/** Begins work that belongs to `traceparent`, or begins a trace of its own. */
type StartTracedWork = (name: string, traceparent: string | undefined, attributes?: Attributes) => TracedWork;

export interface Tracing {
  /** Work that a request asks for. An active span is its parent before `traceparent` is. */
  startServer: StartTracedWork;
  /** Work that is asked of another host. */
  startClient: StartTracedWork;
}

const tracer = trace.getTracer('fairway');
/** The `traceparent` of the request being served, for processes without an SDK. */
const served = new AsyncLocalStorage<string | undefined>();
/** The key by which the SDK and its instrumentations know that a request is not theirs to trace. */
const SUPPRESSED = ROOT_CONTEXT.setValue(createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING'), true);

/**
 * Traces through the OpenTelemetry API. An SDK loaded into the process exports the spans. Without one no span is made, and a caller's trace
 * context passes on to the platform as it came.
 */
export function createTracing(): Tracing {
  return {
    startServer(name, traceparent, attributes) {
      const isActive = activeSpanContext() !== undefined;
      const parent = isActive ? context.active() : contextOf(traceparent);
      return startWork(name, { kind: isActive ? SpanKind.INTERNAL : SpanKind.SERVER, parent, attributes });
    },
    startClient: startClientWork,
  };
}

/** Begins work that is asked of another host. */
export function startClientWork(name: string, traceparent: string | undefined, attributes?: Attributes): TracedWork {
  return startWork(name, { kind: SpanKind.CLIENT, parent: contextOf(traceparent), attributes });
}

/** The W3C trace context of the request being served; undefined outside requests. */
export function servedTraceparent(): string | undefined {
  const active = activeSpanContext();
  return active === undefined ? served.getStore() : formatTraceparent(active);
}

/** Serves a request that came with `traceparent`: `work` and all it calls see it as `servedTraceparent`. */
export function serveUnder<Result>(traceparent: string | undefined, work: () => Result): Result {
  return served.run(traceparent, work);
}

/**
 * Sends a request to another host. No instrumentation adds headers to it: neither a second `traceparent`, nor the `baggage` of a caller, which
 * never leaves the gateway.
 */
export function sendUninstrumented<Result>(send: () => Result): Result {
  return context.with(SUPPRESSED, send);
}

/** `work` as a function that runs in the trace context of now, whoever calls it. The same function if nothing is traced. */
export function keepTraceContext(work: () => void): () => void {
  return context.bind(context.active(), work);
}

function startWork(
  name: string,
  { kind, parent, attributes = {} }: { kind: SpanKind; parent: Context; attributes?: Attributes | undefined },
): TracedWork {
  const span = tracer.startSpan(name, { kind, attributes }, parent);
  return {
    traceparent: traceparentOf(span.spanContext()),
    end(error) {
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end();
    },
  };
}

function contextOf(traceparent: string | undefined): Context {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

function activeSpanContext(): SpanContext | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  return active !== undefined && isSpanContextValid(active) ? active : undefined;
}

function traceparentOf(spanContext: SpanContext): string | undefined {
  return isSpanContextValid(spanContext) ? formatTraceparent(spanContext) : undefined;
}
