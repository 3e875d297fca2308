import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

const SHAPE = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Reads a `traceparent` header (W3C Trace Context). Undefined for what is none: then a trace begins anew. Of versions to come the
 * part that is known counts, as the standard asks.
 */
export function parseTraceparent(header: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = SHAPE.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

/** Writes a span's place as a `traceparent` header of version 00, which knows the flag "sampled" alone. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? '01' : '00'}`;
}
