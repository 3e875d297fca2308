import type { Clock } from '../../core/time/clock.ts';
import type { Tracing } from '../../telemetry/index.ts';
import type { SendOutcome, SendRequest, Upstream } from '../../upstream/index.ts';
import type { DispatchMetrics } from '../outcomes/dispatch-metrics.ts';
import type { Dispatch } from '../scheduler/index.ts';

export interface PostDeps {
  clock: Clock;
  upstream: Upstream;
  metrics: DispatchMetrics;
  tracing: Tracing;
}

/** Posts one message to the platform, with metrics and a span in the trace of the accepting request. Never rejects. */
export async function postMessage(
  deps: PostDeps,
  { messageId, acceptedAtMs }: Pick<Dispatch, 'messageId' | 'acceptedAtMs'>,
  acceptedUnder: string | null,
  request: SendRequest,
): Promise<SendOutcome> {
  const { upstream, tracing, metrics, clock } = deps;
  const work = tracing.startClient('send message', acceptedUnder ?? undefined, { 'fairway.message_id': messageId });
  const { traceparent } = work;
  const startedAtMs = clock.monotonicMs();
  const outcome = await upstream.sendMessage({ ...request, ...(traceparent !== undefined && { traceparent }) });
  metrics.outcomes[outcome.kind].inc();
  metrics.upstreamSeconds.observe((clock.monotonicMs() - startedAtMs) / 1000);
  if (outcome.kind === 'accepted') metrics.waitSeconds.observe((clock.now() - acceptedAtMs) / 1000);
  work.end(outcome.kind === 'accepted' ? undefined : outcome.kind);
  return outcome;
}
