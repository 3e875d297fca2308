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

/** A piece of work that is traced. */
export interface TracedWork {
  /** The W3C trace context for later work that belongs to this one; undefined if nothing is traced. */
  readonly traceparent: string | undefined;
  /** Ends the work; `error` names the cause of a failure in a word. */
  end(error?: string): void;
}

/** Starts work that belongs to `traceparent`; without it, the work begins a trace of its own. */
type StartTracedWork = (name: string, traceparent: string | undefined, attributes?: Attributes) => TracedWork;

export interface Tracing {
  /** Starts work for an incoming request. An active span takes precedence over `traceparent` as its parent. */
  startServer: StartTracedWork;
  /** Starts work done by another host. */
  startClient: StartTracedWork;
}

const tracer = trace.getTracer('fairway');
/** The `traceparent` of the request being served, for processes without an SDK. */
const served = new AsyncLocalStorage<string | undefined>();
/** Context in which the SDK and its instrumentations do not trace requests. */
const SUPPRESSED = ROOT_CONTEXT.setValue(createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING'), true);

/**
 * Traces through the OpenTelemetry API. An SDK loaded into the process exports the spans. Without an SDK no spans are created, and a
 * caller's trace context is passed to the platform unchanged.
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

/** Starts work done by another host. */
export function startClientWork(name: string, traceparent: string | undefined, attributes?: Attributes): TracedWork {
  return startWork(name, { kind: SpanKind.CLIENT, parent: contextOf(traceparent), attributes });
}

/** The W3C trace context of the request being served; undefined outside requests. */
export function servedTraceparent(): string | undefined {
  const active = activeSpanContext();
  return active === undefined ? served.getStore() : formatTraceparent(active);
}

/** Serves a request that came with `traceparent`: `servedTraceparent` returns it in `work` and all its calls. */
export function serveUnder<Result>(traceparent: string | undefined, work: () => Result): Result {
  return served.run(traceparent, work);
}

/**
 * Sends a request to another host. Instrumentations must not add headers to it: no second `traceparent`, and no `baggage` of a caller,
 * which never leaves the gateway.
 */
export function sendUninstrumented<Result>(send: () => Result): Result {
  return context.with(SUPPRESSED, send);
}

/** Binds `work` to the current trace context, whatever calls it later. Returns `work` itself if nothing is traced. */
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
