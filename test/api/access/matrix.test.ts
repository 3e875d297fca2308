import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ROUTED_EDGES } from '../../../src/edges/table/edge-table.ts';
import { OPERATOR_ROLES, type OperatorRole, SCOPES, type Scope } from '../../../src/http/index.ts';
import { ROUTES } from '../../../src/routes.ts';
import { fill, useGateway, useTenant } from '../../harness/fixtures.ts';
import { createOperator } from '../../harness/operator.ts';
import { type Answer, call, issueKey } from '../../harness/tenant.ts';
import { type Operation, useDocument } from '../../support/openapi-document.ts';

function edgeNames(isMeant: (method: string) => boolean): string {
  return ROUTED_EDGES.filter(({ method }) => isMeant(method))
    .map(({ name }) => name)
    .join(' ');
}

/** Operations by the scope or role that each needs. A route in the wrong row of the route table shows here. */
const OPERATIONS: Partial<Record<Scope | OperatorRole, string>> = {
  'messages:send': 'sendMessage sendMarketingMessage markAsRead cancelMessage cancelMessages',
  'messages:read': 'listMessages getMessage getMessageBody getMessageTimeline getWindow getOwnUsage',
  'templates:read': 'listTemplates getTemplate listMessageTemplates',
  'templates:write':
    'createTemplate editTemplate deleteTemplate createMessageTemplate editTemplateNode deleteMessageTemplates ' +
    'openUpload getUpload uploadPart',
  media: 'uploadMedia uploadMediaToNumber downloadMedia deleteMedia',
  webhooks:
    'createWebhook listWebhooks getWebhook updateWebhook deleteWebhook enableWebhook testWebhook rotateWebhookSecret ' +
    'listWebhookDeliveries replayWebhook listSubscriptions subscribe unsubscribe listSubscribedApps subscribeApp unsubscribeApp',
  'events:read': 'listEvents',
  'number:read': `getNode listPhoneNumbers ${edgeNames((method) => method === 'GET')}`,
  'number:manage': edgeNames((method) => method !== 'GET'),
  'opt-outs': 'listOptOuts addOptOut removeOptOut',
  'audit:read': 'listOwnAudit verifyOwnAudit',
  people: 'erasePerson getErasure exportPerson',
  support:
    'getMetrics whoAmI listOrganizations getOrganization listApiKeys getPlan getUsage getUsageDays listRates listApps getApp listWabas getQueue getNextMessages getOverview ' +
    'runDoctor listUpstreamPayloads listOnboardings getOnboarding listSetupLinks',
  operator:
    'createOrganization updateOrganization createApiKey updateApiKey rotateApiKey disableApiKey setPlan setRates deleteRates connectWaba ' +
    'syncWaba updateWaba disconnectWaba updateNumber fixFindings replayUpstreamPayloads ' +
    'beginOnboarding repeatOnboardingStep endOnboarding createSetupLink revokeSetupLink',
  admin:
    'takeOnboardingPin createApp updateApp deleteApp createOperator listOperators getOperator updateOperator rotateOperatorToken revokeOperator closeOrganization listAudit ' +
    'verifyAudit',
};

/** Scopes of an operator with the role `support` who acts for an organization. */
const SUPPORT_SCOPES: readonly Scope[] = ['messages:read', 'templates:read', 'events:read', 'number:read'];

describe('scope or role × operation', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const read = useDocument(gateway);
  const keys = fill(async () => {
    const issued = SCOPES.map(async (scope) => [scope, await issueKey(gateway, tenant, { scopes: [scope] })] as const);
    return Object.fromEntries(await Promise.all(issued)) as Record<string, { key: string }>;
  });
  const operators = fill(async () => {
    const created = OPERATOR_ROLES.map(async (role) => [role, await createOperator(gateway, role)] as const);
    return Object.fromEntries(await Promise.all(created)) as Record<string, { token: string }>;
  });
  const operations = () =>
    read.operations.map((operation) => {
      const [[scheme, needs] = ['none', []], ...others] = (
        operation.described.security ?? read.document.security
      ).flatMap((requirement: Record<string, string[]>) => Object.entries(requirement)) as [string, string[]][];
      assert.deepEqual(others, [], operation.name);
      return { ...operation, scheme, needs };
    });

  it('every operation behind a key or token: documents exactly one scope or role, in words too', () => {
    for (const { name, scheme, needs, described } of operations()) {
      if (scheme === 'none') continue;
      assert.equal(needs.length, 1, name);
      const known: readonly string[] = scheme === 'apiKey' ? SCOPES : OPERATOR_ROLES;
      assert.ok(known.includes(needs[0] ?? ''), `${name}: ${needs}`);
      assert.ok(described.description.includes(`\`${needs[0]}\``), name);
      assert.ok(described.responses['403'], name);
    }
  });

  it('operations of each scope and role: the expected ones', () => {
    for (const [needed, expected] of Object.entries(OPERATIONS)) {
      const found = operations().filter(({ needs }) => needs[0] === needed);
      assert.deepEqual(found.map(({ described }) => described.operationId).sort(), expected.split(' ').sort(), needed);
    }
  });

  for (const scope of SCOPES) {
    it(`a key with ${scope} alone: every operation allowed or refused as documented`, async () => {
      for (const operation of operations().filter(({ scheme }) => scheme === 'apiKey')) {
        const answer = await ask(operation, keys[scope]?.key);
        if (operation.needs[0] === scope) assertPermitted(answer, operation.name);
        else assertRefused(answer, `"${operation.needs[0]}"`, operation.name);
      }
    });
  }

  for (const [index, role] of OPERATOR_ROLES.entries()) {
    it(`${role}: every operation allowed or refused as documented`, async () => {
      for (const operation of operations().filter(({ scheme }) => scheme === 'adminToken')) {
        const needed = OPERATOR_ROLES.indexOf(operation.needs[0] as OperatorRole);
        const answer = await ask(operation, operators[role]?.token);
        if (needed <= index) assertPermitted(answer, operation.name);
        else assertRefused(answer, `"${operation.needs[0]}"`, operation.name);
      }
    });
  }

  for (const role of OPERATOR_ROLES) {
    it(`${role} acting for an organization: every operation allowed, or the reading ones only`, async () => {
      for (const operation of operations().filter(({ scheme }) => scheme === 'apiKey')) {
        const needed = operation.needs[0] as Scope;
        const headers = { 'fairway-organization': tenant.organizationId };
        const answer = await ask(operation, operators[role]?.token, headers);
        if (role !== 'support' || SUPPORT_SCOPES.includes(needed)) assertPermitted(answer, operation.name);
        else assertRefused(answer, `"${needed}"`, operation.name);
      }
    });
  }

  it('keys: no admin API; operators: name an organization in the API for organizations', async () => {
    for (const operation of operations().filter(({ scheme }) => scheme === 'adminToken')) {
      assert.equal((await ask(operation, tenant.apiKey)).status, 401, operation.name);
    }
    for (const operation of operations().filter(({ scheme }) => scheme === 'apiKey')) {
      const answer = await ask(operation, operators.admin?.token);
      assertRefused(answer, 'Fairway-Organization', operation.name);
      const headers = { 'fairway-organization': tenant.organizationId };
      assertRefused(await ask(operation, tenant.apiKey, headers), 'is for operators', operation.name);
    }
  });

  it('a key with the scope of an operation, limited to numbers: only where the table says so', async () => {
    const key = await issueKey(gateway, tenant, { phone_number_ids: [tenant.phoneNumberId] });
    for (const row of ROUTES) {
      if (row.caller !== 'organization' || row.needs === 'nothing') continue;
      const name = row.name.replaceAll(/:\w+/g, '{}');
      const operation = read.operations.find((one) => one.name === name);
      assert.ok(operation, name);
      const answer = await ask(operation, key.key);
      if (row.numbers === 'refused') assertRefused(answer, 'limited to numbers', name);
      else assertPermitted(answer, name);
    }
  });

  /** Calls an operation with ids that name nothing, and without a body. */
  function ask({ name, path }: Operation, token = '', headers: Record<string, string> = {}): Promise<Answer> {
    const [method = ''] = name.split(' ');
    const url = path.replaceAll(/\{[^}]*\}/g, (parameter) =>
      parameter === '{id}' || parameter === '{org_id}' ? '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30' : '999000111',
    );
    return call(gateway, { apiKey: token }, method, url, { headers });
  }
});

function assertRefused({ status, json, text }: Answer, words: string, name: string): void {
  assert.equal(status, 403, `${name}: ${text}`);
  assert.equal(json.code, 'FORBIDDEN', name);
  assert.ok(json.message.includes(words), `${name}: ${json.message}`);
}

function assertPermitted({ status, text }: Answer, name: string): void {
  assert.ok(![401, 403, 429].includes(status), `${name}: ${status} ${text}`);
}
