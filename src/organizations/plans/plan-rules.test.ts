import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changePlan, checkPlan, type Plan, UNLIMITED_PLAN } from './plan-rules.ts';

const plan = (fields: Partial<Plan>): Plan => ({ ...UNLIMITED_PLAN, ...fields });

test('plan: unlimited → every type and category is allowed', () => {
  assert.equal(checkPlan(UNLIMITED_PLAN, { type: 'sticker', category: undefined }), undefined);
  assert.equal(checkPlan(UNLIMITED_PLAN, { type: 'template', category: 'MARKETING' }), undefined);
});

test('plan: inactive and without the type → PLAN_INACTIVE comes first', () => {
  const inactive = plan({ active: false, messageTypes: new Set() });
  assert.equal(checkPlan(inactive, { type: 'text', category: undefined }), 'PLAN_INACTIVE');
});

test('plan: type or template category not included → refused, in any letter case', () => {
  const limited = plan({ messageTypes: new Set(['template']), templateCategories: new Set(['UTILITY']) });
  assert.equal(checkPlan(limited, { type: 'text', category: undefined }), 'PLAN_TYPE_NOT_INCLUDED');
  assert.equal(checkPlan(limited, { type: 'template', category: undefined }), undefined);
  assert.equal(checkPlan(limited, { type: 'template', category: 'utility' }), undefined);
  assert.equal(checkPlan(limited, { type: 'template', category: 'MARKETING' }), 'PLAN_TYPE_NOT_INCLUDED');
});

test('plan: template categories → limit a Direct Send, and no ordinary message', () => {
  const limited = plan({ templateCategories: new Set() });
  assert.equal(checkPlan(limited, { type: 'text', category: undefined }), undefined);
  assert.equal(checkPlan(limited, { type: 'text', category: 'utility' }), 'PLAN_TYPE_NOT_INCLUDED');
});

test('plan change: absent fields → kept; null → limit lifted', () => {
  const before = plan({ name: 'starter', monthlyMessageLimit: 5, monthlyBudgetMicros: 7 });
  const after = changePlan(before, { monthlyMessageLimit: null, active: false, messageTypes: undefined });
  assert.deepEqual(after, { ...before, monthlyMessageLimit: null, active: false });
});
