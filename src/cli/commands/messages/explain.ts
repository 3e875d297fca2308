import type { Command } from 'commander';
import type { Api } from '../../api/api.ts';
import { type Advice, readAdvice } from '../../api/read-advice.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { styled } from '../../terminal/output.ts';
import { safeText } from '../../terminal/safe-text.ts';
import { renderFields, renderTable } from '../../terminal/table.ts';
import { ago, ahead } from '../../terminal/times.ts';
import { act, addCommand } from '../command.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import { type Message, personOf, statusStyle } from './message.ts';
import { detailOf, type Timeline, type TimelineEntry } from './timeline.ts';
import { meaningOfWait } from './wait-reasons.ts';

export function registerMessagesExplain(messages: Command): void {
  addCommand(messages, 'explain <id>', 'show the history of a message, and why it waits or failed', [
    'fairway messages explain 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
    'fairway messages explain 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --json | jq .waiting.reasons',
  ]).action(act(explainMessage));
}

type Failure = Advice & { code: string; message: string | null };

async function explainMessage(cli: Cli, id: string): Promise<void> {
  const [api, { url }] = [await cli.tenant(), await cli.connection()];
  const path = `/v1/messages/${encodeURIComponent(id)}`;
  const [message, timeline] = await Promise.all([api.get<Message>(path), api.get<Timeline>(`${path}/timeline`)]);
  const { error_code: code, error_message } = message;
  const error: Failure | null = code
    ? { code, message: error_message ?? null, ...(await readAdvice(api, url, code)) }
    : null;
  const { data, waiting } = timeline;
  const explained = waiting && {
    ...waiting,
    meanings: waiting.reasons.map((reason) => meaningOfWait(reason) ?? null),
  };
  await cli.out.result({ message, timeline: data, waiting: explained, error }, async () => {
    const deliveries = data.filter(({ what }) => what === 'webhook');
    const parts = [
      renderHead(message),
      section('History', await renderHistory(data.filter(({ what }) => what !== 'webhook'))),
      ...(waiting === null ? [] : [section('Why it waits', renderWaiting(waiting))]),
      ...(error === null ? [] : [section('Why it failed', renderFailure(error))]),
      section('Deliveries', await renderDeliveries(deliveries, deliveries.length > 0 ? await urlsOf(api) : new Map())),
    ];
    return parts.join('\n\n');
  });
}

function section(title: string, text: string): string {
  return `${styled('bold', title)}\n${text}`;
}

function renderHead(message: Message): string {
  const fields = renderFields([
    ['id', message.id],
    ['person', personOf(message)],
    ['type', message.template_name ?? message.message_type],
    ['created', ago(message.created_at)],
  ]);
  return `${fields}\n${styled('dim', 'status ')}  ${styled(statusStyle(message.status), message.status)}`;
}

function renderHistory(entries: readonly TimelineEntry[]): Promise<string> {
  return renderTable(
    [
      { title: 'TIME', text: ({ at }) => at },
      { title: 'EVENT', text: ({ what }) => what, style: ({ what }) => statusStyle(what) },
      { title: 'DETAIL', text: (entry) => detailOf(entry) || null, wraps: true },
    ],
    entries,
  );
}

function renderWaiting({ reasons, next_attempt_at, expires_at }: NonNullable<Timeline['waiting']>): string {
  const lines = reasons.flatMap((reason) => [styled('yellow', reason), `  ${meaningOfWait(reason) ?? '-'}`]);
  const fields = renderFields([
    ['next try', next_attempt_at === null ? undefined : ahead(next_attempt_at)],
    ['expires', ahead(expires_at)],
  ]);
  return [...lines, fields].join('\n');
}

function renderFailure({ code, message, advice, doc_url }: Failure): string {
  const title = styled('red', [code, message].filter(Boolean).join(' '));
  if (advice === null) return `${title}\nThe code is the platform's, or the gateway serves no reference.`;
  return [title, ...plainParagraphs(advice), ...(doc_url === null ? [] : [styled('cyan', doc_url)])].join('\n');
}

/** Returns the meaning and the next step of an advice without its marks of Markdown and its list of operations. */
function plainParagraphs(advice: string): string[] {
  return advice
    .split(/\n{2,}/)
    .filter((paragraph) => !/^(?:HTTP |`error_code`|\*\*Answered by)/.test(paragraph))
    .map((paragraph) => safeText(paragraph.replace(/\*\*|`/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')));
}

async function renderDeliveries(entries: readonly TimelineEntry[], urls: ReadonlyMap<string, string>): Promise<string> {
  if (entries.length === 0) return 'None.';
  return renderTable(
    [
      { title: 'TIME', text: ({ at }) => at },
      { title: 'OUTCOME', text: ({ outcome }) => outcome, style: ({ outcome }) => outcomeStyle(outcome) },
      { title: 'ANSWER', text: ({ http_status, failure }) => http_status ?? failure, wraps: true },
      { title: 'TOOK', text: ({ latency_ms }) => (latency_ms == null ? null : `${latency_ms} ms`) },
      { title: 'ENDPOINT', text: ({ webhook_id = '' }) => urls.get(webhook_id) ?? webhook_id, wraps: true },
      { title: 'EVENT', text: ({ event_id }) => event_id, wraps: true },
    ],
    entries,
  );
}

function outcomeStyle(outcome: string | undefined) {
  if (outcome === 'delivered') return 'green';
  return outcome === 'retry' ? 'yellow' : 'red';
}

/** Returns the addresses of the endpoints by their ids; none if the key may not read endpoints. */
async function urlsOf(api: Api): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>();
  try {
    for await (const { id, url } of api.list<Webhook>('/v1/webhooks', { limit: 100 })) urls.set(id, url);
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT.unauthorized) throw error;
  }
  return urls;
}
