import { Type } from 'typebox';
import { CURSOR, limitOf, NULLABLE_TEXT, open, PHONE_NUMBER_ID, pageOf, strict } from './arguments.ts';
import { more } from './message-tools.ts';
import { defineTool, READS_OWN } from './tool.ts';

interface NumberPage {
  data: { id: string }[];
  paging?: { cursors: { after: string }; next?: string };
}

const listNumbers = defineTool({
  name: 'list_numbers',
  title: 'List sending numbers',
  description: 'Lists the sending numbers of a WhatsApp business account, with their quality and throughput.',
  input: strict({
    waba_id: Type.String({
      pattern: '^[0-9]{1,32}$',
      description: 'Numeric id of the business account. `list_templates` shows it with each template.',
    }),
    limit: limitOf(50, 20),
    cursor: CURSOR,
  }),
  output: pageOf(open({ id: Type.String() })),
  hints: READS_OWN,
  async run({ gateway }, { waba_id, limit = 20, cursor }) {
    const page = await gateway.get<NumberPage>(`/v1/${waba_id}/phone_numbers`, { limit, after: cursor });
    const next = page.paging?.next === undefined ? null : page.paging.cursors.after;
    return { summary: `${page.data.length} numbers.${more(next)}`, data: { data: page.data, next } };
  },
});

const getWindow = defineTool({
  name: 'get_window',
  title: 'Read a 24-hour window',
  description:
    'Shows if the window between a sending number and a person or group is open. Free-form messages need an open window; templates need none.',
  input: strict({
    phone_number_id: PHONE_NUMBER_ID,
    person: Type.String({
      pattern: '^[+A-Za-z0-9._-]{1,160}$',
      description: "The person's phone number with country code, the person's user id, or the id of a group.",
    }),
  }),
  output: open({ open: Type.Boolean(), opened_by: NULLABLE_TEXT, opened_at: NULLABLE_TEXT, expires_at: NULLABLE_TEXT }),
  hints: READS_OWN,
  async run({ gateway }, { phone_number_id, person }) {
    const path = `/v1/${phone_number_id}/windows/${encodeURIComponent(person)}`;
    const data = await gateway.get<Record<string, unknown>>(path);
    return { summary: data.open === true ? 'The window is open.' : 'The window is closed.', data };
  },
});

export const NUMBER_TOOLS = [listNumbers, getWindow];
