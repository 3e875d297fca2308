import { Type } from 'typebox';
import { CURSOR, limitOf, NULLABLE_TEXT, open, PHONE_NUMBER_ID, pageOf, strict } from './arguments.ts';
import { findErrorEntry } from './error-entries.ts';
import { defineTool, READS_FOREIGN } from './tool.ts';

/** A message of the API, as far as these tools read it. */
interface Message {
  id: string;
  direction: string;
  origin: string;
  status: string;
  message_type: string;
  recipient_phone: string | null;
  sender_phone: string | null;
  user_id: string | null;
  template_name?: string;
  content: Record<string, unknown>;
  created_at: string;
  error_code?: string;
  error_message?: string;
}

interface Timeline {
  data: Record<string, unknown>[];
  waiting: Record<string, unknown> | null;
}

const ENTRIES_MAX = 60;
const EXCERPT_CHARS = 200;

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));
const words = (description: string, pattern = '^[^\\u0000]{1,200}$') =>
  Type.Optional(Type.String({ pattern, description }));

const searchMessages = defineTool({
  name: 'search_messages',
  title: 'Search messages',
  description:
    'Lists messages of the organization, sent and received, newest first, with an excerpt of their texts. All filters are optional and ' +
    'narrow the list together. A page may be short or empty although more follow: continue while `next` is not null.',
  input: strict({
    number: Type.Optional(PHONE_NUMBER_ID),
    recipient: words("The person's phone number with country code, as digits.", '^\\+?[0-9]{5,18}$'),
    user_id: words("The person's user id, such as US.13491208655302741918.", '^[A-Z]{2}\\.[A-Za-z0-9.]{1,128}$'),
    status: Type.Optional(Type.Enum(['queued', 'sent', 'delivered', 'read', 'failed', 'received'])),
    type: words('Type of the message: `text`, `template`, `image` and others.'),
    template: words('Exact name of the template.'),
    direction: Type.Optional(Type.Enum(['outbound', 'inbound'])),
    from: time('Accepted or received at this moment or later.'),
    to: time('Accepted or received before this moment.'),
    error_code: words('Failed with this code, such as `131026` or `EXPIRED`.'),
    message_id: words("The platform's id of one message (a wamid)."),
    biz_opaque_callback_data: words('Sent with exactly this callback data.'),
    limit: limitOf(50, 20),
    cursor: CURSOR,
  }),
  output: pageOf(open({ id: Type.String(), direction: Type.String(), status: Type.String(), excerpt: NULLABLE_TEXT })),
  hints: READS_FOREIGN,
  async run({ gateway }, { cursor, limit = 20, ...filter }) {
    const query = { ...filter, limit, after: cursor };
    const page = await gateway.get<{ data: Message[]; next: string | null }>('/v1/messages', query);
    const data = page.data.map(({ content, ...message }) => ({
      id: message.id,
      direction: message.direction,
      origin: message.origin,
      status: message.status,
      message_type: message.message_type,
      recipient_phone: message.recipient_phone,
      sender_phone: message.sender_phone,
      user_id: message.user_id,
      template_name: message.template_name ?? null,
      created_at: message.created_at,
      error_code: message.error_code ?? null,
      error_message: message.error_message ?? null,
      excerpt: excerptOf(content),
    }));
    return { summary: `${data.length} messages, newest first.${more(page.next)}`, data: { data, next: page.next } };
  },
});

const explainMessage = defineTool({
  name: 'explain_message',
  title: 'Explain a message',
  description:
    'Shows one message: its contents and status, its history (attempts, statuses, deliveries of its events to webhook endpoints), the ' +
    "reason for its wait, and for a failure the error catalogue's meaning and next step.",
  input: strict({
    id: Type.String({
      pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
      description: "The gateway's id of the message, a UUID. Find it by other facts with `search_messages`.",
    }),
  }),
  output: open({
    message: open({ id: Type.String(), status: Type.String() }),
    timeline: Type.Array(open({ at: Type.String(), what: Type.String() })),
    timeline_entries_left_out: Type.Integer({ description: 'Number of older entries that are not shown.' }),
    waiting: Type.Union([open({}), Type.Null()], {
      description: 'Reasons for its wait; null once it has left the queue.',
    }),
    error: Type.Union([open({ code: Type.String(), advice: NULLABLE_TEXT, doc_url: NULLABLE_TEXT }), Type.Null()]),
  }),
  hints: READS_FOREIGN,
  async run({ gateway }, { id }) {
    const path = `/v1/messages/${id}`;
    const [message, timeline] = await Promise.all([
      gateway.get<Message>(path),
      gateway.get<Timeline>(`${path}/timeline`),
    ]);
    const error = message.error_code === undefined ? null : await findErrorEntry(gateway, message.error_code);
    const shown = timeline.data.slice(-ENTRIES_MAX);
    const data = {
      message,
      timeline: shown,
      timeline_entries_left_out: timeline.data.length - shown.length,
      waiting: timeline.waiting,
      error,
    };
    return {
      summary: `Message ${message.id} is ${message.status}; its history has ${timeline.data.length} entries.`,
      data,
    };
  },
});

export const MESSAGE_TOOLS = [searchMessages, explainMessage];

/** Returns the end of a summary for a list that goes on. */
export function more(next: string | null): string {
  return next === null ? '' : ' More follow: pass `next` as `cursor`.';
}

/** Returns the first text of a message's contents: a body, a caption or a title. */
function excerptOf(content: unknown): string | null {
  if (typeof content !== 'object' || content === null) return null;
  for (const [key, value] of Object.entries(content)) {
    if (typeof value === 'string' && /^(?:body|caption|title|text)$/.test(key)) return value.slice(0, EXCERPT_CHARS);
    const inner = excerptOf(value);
    if (inner !== null) return inner;
  }
  return null;
}
