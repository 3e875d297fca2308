import type { OperatorRole } from '../../src/http/index.ts';
import { type Answer, admin, call, type Served } from './tenant.ts';

export interface TestOperator {
  id: string;
  token: string;
}

/** Creates an operator through the admin API. */
export function createOperator(
  gateway: Served,
  role: OperatorRole,
  more: { expires_at?: string } = {},
): Promise<TestOperator> {
  return admin(gateway, 'POST', '/operators', { name: `test ${role}`, role, ...more });
}

/** Calls the admin API with the token of an operator; returns any answer. */
export function askAs(
  gateway: Served,
  { token }: Pick<TestOperator, 'token'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  return call(gateway, { apiKey: token }, method, `/admin/v1${path}`, body === undefined ? {} : { body });
}
