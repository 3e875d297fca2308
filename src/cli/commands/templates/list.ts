import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { readTemplates, type Template, templateStyle } from './template.ts';

interface ListOptions {
  name?: string;
  search?: string;
  language?: string;
  status?: string;
  category?: string;
  waba?: string;
  limit: number;
}

export function registerTemplatesList(templates: Command): void {
  addCommand(templates, 'list', 'list templates, newest first', [
    'fairway templates list --status rejected,paused',
    'fairway templates list --search parcel --json',
  ])
    .option('--name <name>', 'the exact name')
    .option('--search <text>', 'a part of the name or of the contents')
    .option('--language <codes>', 'language codes, separated by commas')
    .option('--status <statuses>', 'statuses, separated by commas; default: all but deleted')
    .option('--category <categories>', 'categories, separated by commas')
    .option('--waba <id>', 'templates of this business account')
    .option('--limit <count>', 'highest number of templates', readCount, 100)
    .action(act(listTemplates));
}

async function listTemplates(cli: Cli, options: ListOptions): Promise<void> {
  const { name, search, language, status, category, waba, limit } = options;
  const filter = { name, name_or_content: search, language, status, category, waba_id: waba };
  const rows: Template[] = [];
  for await (const template of readTemplates(await cli.tenant(), filter)) if (rows.push(template) >= limit) break;
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No templates.';
    return renderTable(
      [
        { title: 'NAME', text: (row) => row.name, wraps: true },
        { title: 'LANGUAGE', text: (row) => row.language },
        { title: 'STATUS', text: (row) => row.status, style: (row) => templateStyle(row.status) },
        { title: 'CATEGORY', text: (row) => row.category },
        { title: 'QUALITY', text: (row) => row.quality_score },
        { title: 'REJECTED FOR', text: (row) => (row.rejected_reason === 'NONE' ? null : row.rejected_reason) },
        { title: 'ID', text: (row) => row.id },
        { title: 'ACCOUNT', text: (row) => row.waba_id },
      ],
      rows,
    );
  });
}
