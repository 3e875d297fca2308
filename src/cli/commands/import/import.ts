import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { startProgress } from '../../terminal/progress.ts';
import { renderFields } from '../../terminal/table.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { type Columns, readHeader } from './columns.ts';
import { readGatewayFacts } from './gateway-facts.ts';
import { type CsvRow, hashFile, readRows } from './read-rows.ts';
import { type KnownFacts, readSend } from './read-send.ts';
import { Results } from './results.ts';
import { forEachInParallel, RowSender } from './send-rows.ts';

interface ImportOptions {
  from?: string;
  language?: string;
  name?: string;
  results?: string;
  delimiter: string;
  parallel: number;
  skipInvalid?: boolean;
  dryRun?: boolean;
}

/** Problems that are shown; the others are counted. */
const PROBLEMS_SHOWN = 20;

export function registerImport(program: Command): void {
  addCommand(program, 'import <file>', 'send every row of a CSV file once', [
    'fairway import customers.csv --dry-run',
    'fairway import customers.csv',
    'fairway import customers.csv --name spring-2026 --skip-invalid',
  ])
    .option('--from <id>', 'ID of the sending number of rows without "from"')
    .option('--language <code>', 'language of rows without "language" (default: en_US)')
    .option('--name <name>', 'name of the import; another name sends the same rows again (default: of the content)')
    .option('--results <file>', 'result file (default: <file>.results.csv)')
    .option('--delimiter <character>', 'character between cells', ',')
    .option('--parallel <count>', 'sends at the same time', readCount, 16)
    .option('--skip-invalid', 'send the valid rows although others are wrong')
    .option('--dry-run', 'check every row and send nothing')
    .action(act(runImport));
}

async function runImport(cli: Cli, path: string, options: ImportOptions): Promise<void> {
  const api = await cli.tenant();
  const name = options.name ?? (await hashFile(path)).slice(0, 16);
  const facts: KnownFacts = {
    ...(await readGatewayFacts(api)),
    columns: await readColumns(path, options.delimiter),
    importName: name,
    from: options.from ?? (await cli.connection()).phoneNumberId,
    language: options.language,
  };
  const counts = { import: name, rows: 0, invalid: 0, present: 0, accepted: 0, refused: 0, failed: 0 };
  const problems: string[] = [];
  for await (const row of dataRows(path, options.delimiter)) {
    cli.signal.throwIfAborted();
    counts.rows += 1;
    const read = await readSend(facts, row);
    if ('send' in read) continue;
    counts.invalid += 1;
    if (problems.length < PROBLEMS_SHOWN) problems.push(`row ${row.number}: ${read.problems.join('; ')}`);
  }
  if (counts.invalid > 0) reportInvalid(cli, counts.invalid, problems, options);
  if (options.dryRun === true) {
    const { rows, invalid } = counts;
    return cli.out.result({ import: name, rows, invalid }, () => `${rows - invalid} of ${rows} rows can be sent.`);
  }

  const resultsPath = options.results ?? `${path}.results.csv`;
  const results = await Results.open(resultsPath);
  const progress = await startProgress('Sending', counts.rows);
  const sender = new RowSender(api, cli.signal);
  let done = 0;
  const sendRow = async (row: CsvRow): Promise<void> => {
    const read = await readSend(facts, row);
    if ('problems' in read)
      results.add({ row: row.number, id: '', status: 'invalid', error: read.problems.join('; '), key: '' });
    else if (results.isAccepted(row.number, read.send.idempotencyKey)) counts.present += 1;
    else {
      const outcome = await sender.send(read.send);
      results.add({ row: row.number, ...outcome, key: read.send.idempotencyKey });
      counts[outcome.id === '' ? (outcome.status as 'refused' | 'failed') : 'accepted'] += 1;
    }
    done += 1;
    progress.show(done);
  };
  try {
    await forEachInParallel(dataRows(path, options.delimiter), options.parallel, sendRow);
  } catch (error) {
    cli.out.note(`${done} of ${counts.rows} rows are done. The same command continues and sends nothing twice.`);
    throw error;
  } finally {
    progress.stop();
    await results.close();
  }
  await cli.out.result({ ...counts, results: resultsPath }, () =>
    renderFields([
      ['import', name],
      ['rows', counts.rows],
      ['accepted', counts.accepted],
      ['accepted before', counts.present],
      ['refused', counts.refused],
      ['failed', counts.failed],
      ['invalid', counts.invalid],
      ['results', resultsPath],
    ]),
  );
  const missing = counts.refused + counts.failed;
  if (missing > 0)
    throw new CliError(EXIT.unmet, `${missing} of ${counts.rows} rows were not accepted.`, {
      hint: `${resultsPath} has the reason of each. The same command tries them again.`,
    });
}

async function readColumns(path: string, delimiter: string): Promise<Columns> {
  for await (const { cells } of readRows(path, delimiter)) return readHeader(cells);
  throw new CliError(EXIT.usage, `${path} is empty.`);
}

/** Yields the rows after the header. */
async function* dataRows(path: string, delimiter: string): AsyncGenerator<CsvRow> {
  let isHeader = true;
  for await (const row of readRows(path, delimiter)) {
    if (!isHeader) yield row;
    isHeader = false;
  }
}

function reportInvalid(cli: Cli, count: number, problems: readonly string[], options: ImportOptions): void {
  const more = count - problems.length;
  for (const problem of problems) cli.out.note(problem);
  if (more > 0) cli.out.note(`… and ${more} more rows`);
  if (options.skipInvalid !== true)
    throw new CliError(EXIT.usage, `${count} rows are wrong. Nothing was sent.`, {
      hint: 'Correct the rows, or pass --skip-invalid to send the others.',
      facts: { invalid: count, problems },
    });
}
