/**
 * The OpenTelemetry SDK with the official instrumentations, loaded into a process as in `docs/operations.md`. Each finished span is a line
 * of JSON in the file named by TRACE_FILE.
 */
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);

const file = process.env.TRACE_FILE ?? '/dev/null';

function exportSpans(spans: ReadableSpan[], done: (result: { code: number }) => void): void {
  for (const span of spans) {
    const { traceId, spanId } = span.spanContext();
    const { name, kind, parentSpanContext, attributes } = span;
    appendFileSync(
      file,
      `${JSON.stringify({ traceId, spanId, parentId: parentSpanContext?.spanId, name, kind, attributes })}\n`,
    );
  }
  done({ code: 0 });
}

const exporter = { export: exportSpans, shutdown: () => Promise.resolve() };
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
registerInstrumentations({
  instrumentations: [new HttpInstrumentation(), new UndiciInstrumentation(), new PgInstrumentation()],
});
