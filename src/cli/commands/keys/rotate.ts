import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { assertTerminal, requireConfirmation } from '../../terminal/prompts.ts';
import { act, addCommand } from '../command.ts';
import { createKey, disableKey, listKeys, type NewKey, renderNewKey } from './key.ts';

export function registerKeysRotate(keys: Command): void {
  addCommand(keys, 'rotate <tenant> <key-id>', 'issue a new API key, then disable the old one', [
    'fairway keys rotate 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e31',
    'fairway keys rotate 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e31 --yes --json',
  ])
    .option('--yes', 'disable the old key at once, without asking')
    .action(act(rotateKey));
}

async function rotateKey(cli: Cli, tenantId: string, id: string, options: { yes?: boolean }): Promise<void> {
  const isConfirmed = options.yes === true;
  // The one JSON document is printed at the end: a no or Ctrl-C at the question would lose the new key.
  if (cli.out.isJson && !isConfirmed) throw new CliError(EXIT.usage, '--json needs --yes.');
  const question = `Disable the old key ${id} now? Store the new one first.`;
  if (!isConfirmed) assertTerminal(question);
  const api = await cli.operator();
  const old = (await listKeys(api, tenantId)).find((key) => key.id === id);
  if (old === undefined) throw new CliError(EXIT.notFound, `The tenant has no key ${id}.`);
  if (old.disabled_at !== null) throw new CliError(EXIT.refused, `Key ${id} is disabled already.`);
  const key = await createKey(api, tenantId, {
    name: old.name ?? undefined,
    scopes: old.scopes,
    phone_number_ids: old.phone_number_ids,
    source_ranges: old.source_ranges,
    expires_at: old.expires_at,
    messages_per_minute: old.messages_per_minute,
  });
  if (!cli.out.isJson) {
    await cli.out.result(key, () => renderNewKey(key));
    await requireConfirmation(isConfirmed, question, `The old key ${id} still works.`);
  }
  await disableOld(cli, key, id, () => disableKey(api, id));
}

/** Disables the old key and reports it. The new key is printed also if that fails. */
async function disableOld(cli: Cli, key: NewKey, id: string, disable: () => Promise<void>): Promise<void> {
  const failure = await disable().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (cli.out.isJson) await cli.out.result({ ...key, disabled: failure === undefined ? id : null }, () => '');
  if (failure !== undefined) throw failure.error;
  if (!cli.out.isJson) cli.out.note(`Disabled the old key ${id}.`);
}
