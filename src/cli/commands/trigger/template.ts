import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { renderFields } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import { type Delivery, describeDelivery, simulatorOf, type TriggerOptions, withSimulator } from './simulator.ts';

interface TemplateOptions extends TriggerOptions {
  status?: string;
  reason?: string;
  quality?: string;
  category?: string;
}

export function registerTriggerTemplate(trigger: Command): void {
  const command = addCommand(trigger, 'template <id>', 'change a template as the platform does', [
    'fairway trigger template 1071298231 --status REJECTED --reason INVALID_FORMAT',
    'fairway trigger template 1071298231 --category MARKETING',
  ]);
  withSimulator(command)
    .option('--status <status>', 'APPROVED, REJECTED, PAUSED, DISABLED, …')
    .option('--reason <reason>', 'reason of the status')
    .option('--quality <score>', 'GREEN, YELLOW or RED')
    .option('--category <category>', 'category that the platform moves it to')
    .action(act(changeTemplate));
}

async function changeTemplate(cli: Cli, id: string, options: TemplateOptions): Promise<void> {
  const { status, reason, quality, category } = options;
  const [change, ...more] = [
    ...(status === undefined ? [] : [{ edge: 'status', body: { status, reason } }]),
    ...(quality === undefined ? [] : [{ edge: 'quality', body: { score: quality } }]),
    ...(category === undefined ? [] : [{ edge: 'category', body: { category } }]),
  ];
  if (change === undefined || more.length > 0)
    throw new CliError(EXIT.usage, 'Name one of --status, --quality and --category.');
  const simulator = await simulatorOf(cli, options);
  const path = `/templates/${encodeURIComponent(id)}/${change.edge}`;
  const { delivery } = await simulator.post<{ delivery: Delivery }>(path, change.body);
  await cli.out.result({ id, delivery }, () =>
    renderFields([
      ['template', id],
      ['webhook', describeDelivery(delivery)],
    ]),
  );
}
