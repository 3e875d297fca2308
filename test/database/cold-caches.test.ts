import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createAccounts } from '../../src/accounts/index.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { Statement } from '../../src/database/database.ts';
import { API_KEY_PREFIX, makeToken } from '../../src/http/index.ts';
import { createKeyring, createOrganizationSettings, createPlans } from '../../src/organizations/index.ts';
import { createTemplates } from '../../src/templates/index.ts';
import { TokenApps } from '../../src/upstream/index.ts';

const TENANTS = 300;

describe('many tenants send at once with empty caches: one statement reads', () => {
  const changes = { on() {}, follow() {}, resetOverdue() {} };
  const statements: Statement[] = [];
  const db = {
    async query(statement: Statement) {
      statements.push(statement);
      return [];
    },
  };
  const accounts = createAccounts({
    db,
    changes,
    clock: systemClock,
    platform: 'graph.example.com',
    tokenApps: new TokenApps(),
    secretBox: { open: () => assert.fail('there is no token') },
  });
  const upstream = {} as Parameters<typeof createTemplates>[0]['upstream'];
  const tables = { ...db, transaction: () => assert.fail(), waiting: () => 0, close: () => assert.fail() };
  const templates = createTemplates({ db: tables, changes, clock: systemClock, accounts, upstream });
  const keyring = createKeyring({ db, changes, clock: systemClock });
  const settings = createOrganizationSettings({ db, changes });
  const plans = createPlans({ db, changes });

  const lookUps: [what: string, lookUp: (index: number) => unknown][] = [
    ['their API keys', () => keyring.authenticate({ scheme: 'bearer', key: makeToken(API_KEY_PREFIX) })],
    ['their numbers', (index) => accounts.findByPhoneNumberId(String(1_000 + index))],
    ['their business accounts', (index) => accounts.findWaba(randomUUID(), String(1_000 + index))],
    ['their access tokens', (index) => accounts.tokenOf(randomUUID(), String(1_000 + index))],
    ['their settings', () => settings.get(randomUUID())],
    ['their templates', (index) => templates.findVersions(randomUUID(), String(1_000 + index), 'greeting')],
    ['their plans', () => plans.get(randomUUID())],
  ];
  for (const [what, lookUp] of lookUps) {
    it(what, async () => {
      statements.length = 0;
      await Promise.allSettled(Array.from({ length: TENANTS }, (_, index) => lookUp(index)));
      const [first] = statements;
      assert.equal(statements.filter(({ name }) => name === first?.name).length, 1);
    });
  }
});
