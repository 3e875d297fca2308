import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ROUTES } from '../../../src/routes.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, call } from '../../harness/tenant.ts';
import { type Operation, useDocument } from '../../support/openapi-document.ts';

/** Changing operations without audit: sends and uploads. */
const NOT_AUDITED = new Set([
  'sendMessage',
  'sendMarketingMessage',
  'markAsRead',
  'uploadMedia',
  'uploadMediaToNumber',
  'openUpload',
  'uploadPart',
]);

/**
 * Routes with a changing method that are neither described nor audited: sessions, the page of set-up links, the token of an app, the webhook
 * of the platform, and the demo's controls.
 */
const UNDESCRIBED = [
  'POST /console/session',
  'DELETE /console/session',
  'POST /console/oidc',
  'POST /setup/session',
  'POST /setup/dialog',
  'POST /setup/steps/{}',
  'POST /v1/oauth/access_token',
  'POST /webhooks/upstream',
  'POST /webhooks/upstream/{}',
  'POST /console/simulator/*',
  'PUT /console/simulator/*',
  'PATCH /console/simulator/*',
  'DELETE /console/simulator/*',
];

describe('audit × operation', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const read = useDocument(gateway);

  it('every changing operation: one row in the log, sends and uploads none', async () => {
    const scheme = ({ described }: Operation) =>
      Object.keys((described.security ?? read.document.security)[0] ?? {})[0];
    const changing = read.operations.filter((one) => !/^(?:GET|HEAD) /.test(one.name) && scheme(one) !== undefined);
    assert.equal(changing.length, ROUTES.filter(({ name }) => !name.startsWith('GET ')).length - UNDESCRIBED.length);
    for (const operation of changing) {
      const { operationId } = operation.described as { operationId: string };
      const [method = ''] = operation.name.split(' ');
      const url = operation.path.replaceAll(/\{[^}]*\}/g, (parameter) =>
        parameter === '{id}' || parameter === '{org_id}' ? '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30' : '999000111',
      );
      const token = scheme(operation) === 'apiKey' ? tenant.apiKey : gateway.adminToken;
      const { status } = await call(gateway, { apiKey: token }, method, url);
      const { data } = await admin<{ data: { http_status: number }[] }>(
        gateway,
        'GET',
        `/audit?operation=${operationId}`,
      );
      const statuses = data.map(({ http_status }) => http_status);
      if (NOT_AUDITED.has(operationId)) assert.deepEqual(statuses, [], operationId);
      else assert.equal(statuses[0], status, `${operationId}: ${statuses}`);
    }
  });

  it('every changing route of the table: described, or exempt from the audit', () => {
    const described = new Set(read.operations.map(({ name }) => name));
    const changing = ROUTES.filter(({ name }) => !name.startsWith('GET ')).map(({ name }) =>
      name.replaceAll(/:\w+/g, '{}'),
    );
    assert.deepEqual(
      changing.filter((name) => !described.has(name)),
      UNDESCRIBED,
    );
  });
});
