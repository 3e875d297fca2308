import type { ConnectDeps, DisconnectDeps } from '../../src/accounts/index.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { Queryable } from '../../src/database/database.ts';
import { forgetTemplates, readAllTemplates, replaceTemplates } from '../../src/templates/index.ts';
import {
  type CallResult,
  type ListedNumber,
  TokenApps,
  type TokenFacts,
  type UpstreamNumber,
  type UpstreamTemplate,
} from '../../src/upstream/index.ts';

const NO_FACTS: TokenFacts = { isValid: true, appId: null, expiresAtMs: null, scopes: [], targets: new Map() };

let serial = 0;

/** Returns an unused upstream id. */
export function nextUpstreamId(): string {
  serial += 1;
  return `1000${serial}`;
}

export function numberNode(fields: Partial<UpstreamNumber> = {}): UpstreamNumber {
  return {
    id: nextUpstreamId(),
    displayPhoneNumber: '+1 555-010-0001',
    verifiedName: 'Example Ltd',
    status: 'CONNECTED',
    platformType: 'CLOUD_API',
    qualityRating: 'GREEN',
    throughputLevel: 'STANDARD',
    isOnBizApp: false,
    webhooks: { number: null, businessAccount: null, app: null },
    ...fields,
  };
}

export function templateNode(fields: Partial<UpstreamTemplate> = {}): UpstreamTemplate {
  return {
    id: nextUpstreamId(),
    name: 'order_update',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    parameterFormat: 'POSITIONAL',
    rejectedReason: 'NONE',
    qualityScore: 'GREEN',
    components: '[{"type": "BODY", "text": "Order {{1}}", "factor": 1.0}]',
    otherFields: '{"sub_category":"ORDER_STATUS"}',
    ...fields,
  };
}

/** Creates an upstream with one WABA, whose state the test changes between calls, and the list of calls. */
export function createUpstreamWaba({ db, secretBox }: Pick<ConnectDeps, 'db' | 'secretBox'>) {
  const state = {
    numbers: [numberNode()] as ListedNumber[],
    /** One element per page. */
    templates: [[templateNode()]],
    failure: undefined as Exclude<CallResult<never>, { kind: 'ok' }> | undefined,
    calls: [] as string[],
    /** The WABAs whose recorded webhooks have to be applied again. */
    missed: [] as string[],
    onRead: () => {},
  };
  const answer = <T>(call: string, value: T): CallResult<T> => {
    state.calls.push(call);
    return state.failure ?? { kind: 'ok', value };
  };
  const deps: ConnectDeps & DisconnectDeps = {
    db,
    clock: systemClock,
    log: { info() {}, warn() {} },
    publicUrl: null,
    secretBox,
    tokenApps: new TokenApps(),
    apps: { defaultAppId: null, defaultCredentials: null, find: () => undefined, list: () => [] },
    platform: 'graph.example.com',
    forgetTemplates,
    readAllTemplates,
    replaceTemplates,
    applyMissed: (waba) => state.missed.push(waba.wabaId),
    upstream: {
      subscribeApp: async (wabaId, token) => answer(`subscribe ${wabaId} ${token}`, true as const),
      unsubscribeApp: async (wabaId, token) => answer(`unsubscribe ${wabaId} ${token}`, true as const),
      listPhoneNumbers: async (wabaId, token) => answer(`numbers ${wabaId} ${token}`, state.numbers),
      readSubscription: async () => state.failure ?? { kind: 'ok', value: { isSubscribed: true, override: null } },
      debugToken: async () => state.failure ?? { kind: 'ok', value: NO_FACTS },
      readOnboarding: async () => state.failure ?? { kind: 'ok', value: { status: null } },
      async *listTemplates(wabaId, token) {
        for (const page of state.templates) yield answer(`templates ${wabaId} ${token}`, page);
        state.onRead();
      },
    },
  };
  return { state, deps, wabaId: nextUpstreamId() };
}

/** Lists the stored templates of an organization. */
export function listTemplateRows(db: Queryable, organizationId: string) {
  return db.query<{ id: string; name: string; status: string; components: string; other_fields: string }>({
    text: 'SELECT id, name, status, components, other_fields FROM template WHERE organization_id = $1 ORDER BY id',
    values: [organizationId],
  });
}
