import { basename } from 'node:path';
import type { Command } from 'commander';
import { uploadFile } from '../../api/upload-file.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { startProgress } from '../../terminal/progress.ts';
import { renderFields } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import { mimeTypeOf, openFile } from '../send/medium.ts';
import { KIB } from './transfer.ts';

interface UploadOptions {
  from?: string;
  type?: string;
  name?: string;
}

export function registerMediaUpload(media: Command): void {
  addCommand(media, 'upload <file>', 'upload a file for sends from one number', [
    'fairway media upload invoice.pdf',
    'fairway media upload photo --type image/jpeg --name photo.jpg --json | jq -r .id',
  ])
    .option('--from <id>', 'ID of the number (default: of the profile, or FAIRWAY_PHONE_NUMBER_ID)')
    .option('--type <mime>', 'MIME type; default: by the ending of the name')
    .option('--name <name>', 'name that the person sees; default: of the file')
    .action(act(uploadMedium));
}

async function uploadMedium(cli: Cli, path: string, options: UploadOptions): Promise<void> {
  const number = options.from ?? (await cli.connection()).phoneNumberId;
  if (number === undefined)
    throw new CliError(EXIT.usage, 'The number is missing.', {
      hint: 'Pass --from with its ID, or set FAIRWAY_PHONE_NUMBER_ID.',
    });
  const api = await cli.tenant();
  const name = options.name ?? basename(path);
  const type = options.type ?? mimeTypeOf(name);
  const file = await openFile(path, type);
  const progress = await startProgress('Uploaded KiB', Math.ceil(file.size / KIB));
  try {
    const report = (bytes: number) => progress.show(Math.ceil(bytes / KIB));
    const id = await uploadFile(api, { phoneNumberId: number, file, type, fileName: name }, report);
    // The bar must not follow the result.
    progress.stop();
    await cli.out.result({ id, phone_number_id: number, mime_type: type, bytes: file.size }, () =>
      renderFields([
        ['id', id],
        ['number', number],
        ['type', type],
        ['bytes', file.size],
      ]),
    );
  } finally {
    progress.stop();
  }
}
