import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

const SHAPE = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Parses a `traceparent` header (W3C Trace Context). Undefined for an invalid header; the caller then begins a new trace. Of later versions
 * the known part is used, as the standard requires.
 */
export function parseTraceparent(header: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = SHAPE.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

/** Formats a span context as a `traceparent` header of version 00, whose only flag is "sampled". */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? '01' : '00'}`;
}
