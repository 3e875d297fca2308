import { Type } from 'typebox';
import { open, strict } from './arguments.ts';
import { defineTool, READS_OWN } from './tool.ts';

interface Usage {
  month: string;
  accepted: number;
  spent: number;
}

export const getUsage = defineTool({
  name: 'get_usage',
  title: 'Read the usage of a month',
  description:
    'Sums the messages of the organization in a calendar month (UTC): accepted, sent, delivered and failed ones, by category and by ' +
    'pricing, with the money spent. `group_by` adds the delivered messages and their cost by group.',
  input: strict({
    month: Type.Optional(
      Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$', description: 'Such as 2026-08; the current month if absent.' }),
    ),
    group_by: Type.Optional(
      Type.Array(Type.Enum(['api_key', 'template', 'country', 'category', 'pricing_type', 'number']), {
        minItems: 1,
        maxItems: 6,
        uniqueItems: true,
      }),
    ),
  }),
  output: open({
    month: Type.String(),
    accepted: Type.Integer(),
    sent: Type.Integer(),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    spent: Type.Number({ description: "Money in the budget's currency." }),
    groups: Type.Optional(Type.Array(open({ messages: Type.Integer(), charged: Type.Number() }))),
  }),
  hints: READS_OWN,
  async run({ gateway }, { month, group_by }) {
    const usage = await gateway.get<Usage>('/v1/usage', { month, group_by: group_by?.join(',') });
    return {
      summary: `In ${usage.month}, ${usage.accepted} messages were accepted; ${usage.spent} is spent.`,
      data: { ...usage },
    };
  },
});
