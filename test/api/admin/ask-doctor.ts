import assert from 'node:assert/strict';
import { findFreePort } from '../../../src/embedded-postgres/find-free-port.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../../harness/gateway.ts';

export interface Finding {
  id: string;
  subject: string;
  organization_id: string | null;
  status: string;
  message: string;
  fixable: boolean;
}

/** Starts a gateway whose `PUBLIC_URL` is its own address. */
export async function startPublicGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const port = await findFreePort();
  return await startGateway({ port, publicUrl: `http://127.0.0.1:${port}`, ...options });
}

/** Asks the doctor. Fails unless it answers. */
export async function askDoctor(gateway: Gateway, { method = 'GET', path = '', token = gateway.adminToken } = {}) {
  const response = await fetch(`${gateway.baseUrl}/admin/v1/doctor${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return { text, json: JSON.parse(text) };
}

/** Returns the faults that the doctor names, as `check: subject`. The test cluster runs without fsync. */
export async function faultsOf(gateway: Gateway, token = gateway.adminToken): Promise<string[]> {
  const { json } = await askDoctor(gateway, { token });
  return (json.findings as Finding[])
    .filter(({ id, status }) => (status === 'failed' || status === 'warning') && id !== 'postgres-durability')
    .map(({ id, subject }) => `${id}: ${subject}`);
}
