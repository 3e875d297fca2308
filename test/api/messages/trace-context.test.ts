import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { createTenant, freshRecipient, send, sendsTo, templateTo } from '../../harness/tenant.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = `00-${TRACE}-00f067aa0ba902b7-01`;

describe('trace context', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  after(() => trace.disable());

  async function traceparentUpstream(headers: Record<string, string>): Promise<string | string[] | undefined> {
    const to = freshRecipient();
    const answer = await send(gateway, tenant, templateTo(to), { headers, query: '?sync=true' });
    assert.equal(answer.status, 200, answer.text);
    const [record] = sendsTo(gateway, to);
    return record?.headers.traceparent;
  }

  it('sent by a caller, no spans in this process → reaches the upstream unchanged', async () => {
    assert.equal(await traceparentUpstream({ traceparent: CALLER }), CALLER);
  });

  it('missing or invalid: none is sent upstream', async () => {
    assert.equal(await traceparentUpstream({}), undefined);
    assert.equal(await traceparentUpstream({ traceparent: 'not-a-trace' }), undefined);
  });

  it('survives the queue: stored with the message and read by the dispatching node', async () => {
    const other = await createTenant(gateway);
    await gateway.app.db.query({
      text: 'UPDATE sending_number SET paused = true WHERE phone_number_id = $1',
      values: [other.phoneNumberId],
    });
    const answer = await send(gateway, other, templateTo(freshRecipient()), { headers: { traceparent: CALLER } });
    const rows = await gateway.app.db.query<{ traceparent: string | null }>({
      text: 'SELECT traceparent FROM send_queue WHERE message_id = $1',
      values: [answer.json.messages[0].id],
    });
    // The message may be dispatched already, if the pause came too late.
    assert.ok(rows.every((row) => row.traceparent === CALLER));
  });

  it('with an SDK: a span for the request, and one below it for the upstream call', async () => {
    const spans = recordSpans();
    const upstream = await traceparentUpstream({ traceparent: CALLER });
    const [accepted, sent] = spans;
    assert.ok(accepted && sent, 'two spans');
    assert.deepEqual(
      spans.map(({ name, kind }) => [name, kind]),
      [
        ['accept message', SpanKind.SERVER],
        ['send message', SpanKind.CLIENT],
      ],
    );
    assert.equal(accepted.parent, '00f067aa0ba902b7');
    assert.equal(sent.parent, accepted.context.spanId);
    assert.equal(upstream, `00-${TRACE}-${sent.context.spanId}-01`);
    assert.ok(accepted.ended && sent.ended);
    assert.equal(typeof sent.attributes['fairway.message_id'], 'string');
  });
});

interface RecordedSpan {
  name: string;
  kind: SpanKind | undefined;
  parent: string | undefined;
  context: SpanContext;
  attributes: Attributes;
  ended: boolean;
}

/** Replaces an SDK: records spans and gives them ids. */
function recordSpans(): RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, context?: Context): Span => {
    const parent = context && trace.getSpanContext(context);
    const spanId = (spans.length + 1).toString(16).padStart(16, '0');
    const recorded: RecordedSpan = {
      name,
      kind: options.kind,
      parent: parent?.spanId,
      context: { traceId: parent?.traceId ?? 'a'.repeat(32), spanId, traceFlags: 1 },
      attributes: options.attributes ?? {},
      ended: false,
    };
    spans.push(recorded);
    const span = {
      spanContext: () => recorded.context,
      setStatus: () => span,
      end() {
        recorded.ended = true;
      },
    } as unknown as Span;
    return span;
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as unknown as Tracer });
  return spans;
}
