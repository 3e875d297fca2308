import { Option } from 'commander';
import { renderFields } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';

export const OPERATORS_PATH = '/admin/v1/operators';

/** An operator as the admin API lists it. Times are ISO 8601. */
export interface Operator {
  id: string;
  name: string;
  role: string;
  /** First characters of the token. */
  hint: string | null;
  identity: { issuer: string; subject: string; email: string | null } | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** An operator with a new token. */
export interface OperatorWithToken extends Operator {
  token: string;
}

export function operatorPath(id: string): string {
  return `${OPERATORS_PATH}/${encodeURIComponent(id)}`;
}

/** Returns the option `--role`. */
export function roleOption(): Option {
  return new Option('--role <role>', 'what the operator may do').choices(['support', 'operator', 'admin']);
}

/** Renders an operator for people. */
export function renderOperator(operator: Operator, token?: string): string {
  return renderFields([
    ['id', operator.id],
    ['name', operator.name],
    ['role', operator.role],
    ['expires', operator.expires_at ?? 'never'],
    ['last used', operator.last_used_at === null ? 'never' : ago(operator.last_used_at)],
    ...(token === undefined ? [] : [['token', token] as const]),
  ]);
}

/** Renders an operator with a new token for people. */
export function renderToken({ token, ...operator }: OperatorWithToken): string {
  return `${renderOperator(operator, token)}\nStore the token now: it is not shown again.`;
}
