import type { Command } from 'commander';
import { readCount } from '../arguments.ts';

/** A change as the audit log lists it. */
export interface Change {
  id: string;
  organization_id: string | null;
  sequence: number;
  at: string;
  actor: {
    type: string;
    id: string | null;
    name: string | null;
    identity: { issuer: string; subject: string; email: string | null } | null;
  };
  address: string | null;
  request_id: string;
  operation: string;
  object: { type: string; id: string } | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  parameters: Record<string, unknown> | null;
  answer: Record<string, unknown> | null;
  http_status: number | null;
  digest: string;
}

/** Options that narrow a list of changes. */
export interface ChangeOptions {
  tenant?: string;
  operation?: string;
  actor?: string;
  object?: string;
  from?: string;
  to?: string;
}

export const AUDIT_PATH = '/admin/v1/audit';

/** Adds the options of `ChangeOptions` to a command. */
export function addChangeOptions(command: Command): Command {
  return command
    .option('--tenant <id>', 'only changes of this tenant; "none" for changes that belong to no tenant')
    .option('--operation <id>', 'only changes by this operation, such as updateNumber')
    .option('--actor <id>', 'only changes by this operator or key')
    .option('--object <id>', 'only changes of this object')
    .option('--from <time>', 'only changes from this time on, ISO 8601')
    .option('--to <time>', 'only changes before this time, ISO 8601');
}

/** Adds the option `--limit`. */
export function addLimit(command: Command, fallback: number): Command {
  return command.option('--limit <count>', 'highest number of changes', readCount, fallback);
}

/** Returns the query of a list of changes. */
export function queryOf({ tenant, operation, actor, object, from, to }: ChangeOptions) {
  return { organization_id: tenant, operation, actor, object, from, to };
}

/** Returns the members that a change has changed, as `name: before → after`. */
export function differencesOf({ before, after }: Pick<Change, 'before' | 'after'>): string[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const text = (state: Record<string, unknown> | null, name: string) => JSON.stringify(state?.[name] ?? null);
  if (after === null) return [];
  return names
    .filter((name) => text(before, name) !== text(after, name))
    .map((name) => `${name}: ${text(before, name)} → ${text(after, name)}`);
}
