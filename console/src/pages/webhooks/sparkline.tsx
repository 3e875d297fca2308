import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import parts from '../../parts/parts.module.css';
import { useTexts } from '../../preferences/preferences.tsx';

const SHOWN = 24;
const COLORS = { delivered: 'var(--fairway-good)', pending: 'var(--fairway-warn)', failed: 'var(--fairway-bad)' };

/** The latest deliveries of an endpoint as bars: as high as the last attempt took, in the colour of the outcome. */
export function Sparkline({ id }: { id: string }) {
  const { webhooks } = useTexts();
  const api = useApi();
  const organization = useOrganization();
  const { data } = useQuery({
    queryKey: ['sparkline', organization, id],
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'listWebhookDeliveries'>>(`/v1/webhooks/${id}/deliveries`, { limit: SHOWN }, signal),
    refetchInterval: 10_000,
  });
  const deliveries = (data?.data ?? []).toReversed();
  if (deliveries.length === 0) return '–';
  const latencies = deliveries.map(({ attempts }) => attempts.at(-1)?.latency_ms ?? 0);
  const highest = Math.max(50, ...latencies);
  const count = (wanted: string) => deliveries.filter(({ status }) => status === wanted).length;
  const label = (['delivered', 'pending', 'failed'] as const)
    .map((status) => `${count(status)} ${webhooks.deliveryStatuses[status]}`)
    .join(', ');
  return (
    <div className={parts.sparkline} role="img" aria-label={label} title={label}>
      {deliveries.map(({ event_id, status }, index) => (
        <span
          key={event_id}
          style={{ height: `${Math.max(12, ((latencies[index] ?? 0) / highest) * 100)}%`, background: COLORS[status] }}
        />
      ))}
    </div>
  );
}
