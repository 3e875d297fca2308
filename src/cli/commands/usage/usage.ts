import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from '../../cli.ts';
import { type Column, renderFields, renderTable } from '../../terminal/table.ts';
import { readWords } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { tenantPath } from '../tenants/tenant.ts';

/** The usage of a calendar month (UTC). Money is in the currency of the tenant's budget. */
export interface Usage {
  month: string;
  accepted: number;
  sent: number;
  delivered: number;
  failed: number;
  by_category: Record<string, number>;
  spent: number;
  groups?: Group[];
}

/** Delivered messages of one group and their price, beside the group's values by dimension. */
interface Group extends Record<string, string | number | null> {
  messages: number;
  charged: number;
  charged_micros: number;
}

interface UsageOptions {
  month?: string;
  groupBy?: string[];
  tenant?: string;
}

const DIMENSIONS = 'api_key, template, country, category, pricing_type, number';

export function registerUsage(program: Command): void {
  addCommand(program, 'usage', 'show the messages and the money of a month', [
    'fairway usage',
    'fairway usage --month 2026-10 --group-by country,category',
    'fairway usage --tenant 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --json',
  ])
    .option('--month <month>', 'calendar month in UTC, such as 2026-10 (default: this month)', readMonth)
    .option('--group-by <words>', `delivered messages by ${DIMENSIONS}, separated by commas`, readWords)
    .option('--tenant <id>', 'usage of this tenant, with the token of an operator')
    .action(act(showUsage));
}

async function showUsage(cli: Cli, { month, groupBy, tenant }: UsageOptions): Promise<void> {
  const query = { month, group_by: groupBy?.join(',') };
  const usage =
    tenant === undefined
      ? await (await cli.tenant()).get<Usage>('/v1/usage', query)
      : await (await cli.operator()).get<Usage>(`${tenantPath(tenant)}/usage`, query);
  await cli.out.result(usage, async () =>
    [renderUsage(usage), ...(groupBy === undefined ? [] : ['', await renderGroups(groupBy, usage.groups ?? [])])].join(
      '\n',
    ),
  );
}

/** Renders the sums of a month for people. */
export function renderUsage({ month, by_category: categories, ...usage }: Usage): string {
  return renderFields([
    ['month', month],
    ['accepted', usage.accepted],
    ['sent', usage.sent],
    ['delivered', usage.delivered],
    ...Object.entries(categories).map(([category, count]) => [`  ${category}`, count] as const),
    ['failed', usage.failed],
    ['spent', usage.spent],
  ]);
}

async function renderGroups(by: readonly string[], groups: readonly Group[]): Promise<string> {
  if (groups.length === 0) return 'No delivered messages.';
  const dimensions = by.map((name): Column<Group> => ({ title: name.toUpperCase(), text: (group) => group[name] }));
  return await renderTable(
    [
      ...dimensions,
      { title: 'MESSAGES', text: (group) => group.messages },
      { title: 'CHARGED', text: (group) => group.charged },
    ],
    groups,
  );
}

function readMonth(text: string): string {
  if (!/^\d{4}-\d\d$/.test(text)) throw new InvalidArgumentError('It must be a month such as 2026-10.');
  return text;
}
