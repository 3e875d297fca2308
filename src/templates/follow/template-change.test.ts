import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountChange } from '../../accounts/index.ts';
import {
  applyTemplateChange,
  type FollowedTemplate,
  needsReading,
  readingDueAt,
  readTemplateChange,
  type StatusChange,
  type TemplateChange,
} from './template-change.ts';

const IDENTITY = {
  message_template_id: 1_689_556_908_129_832,
  message_template_name: 'cake_ready',
  message_template_language: 'en-US',
};

/** Builds a change as read from a payload; `raw` replaces the spelling of members. */
function changeOf(field: string, value: Record<string, unknown>, raw: Record<string, string> = {}): AccountChange {
  return {
    id: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
    wabaId: '1001',
    field,
    atMs: undefined,
    value,
    raw: JSON.stringify(value),
    rawOf: (member) => raw[member] ?? (member in value ? JSON.stringify(value[member]) : undefined),
  };
}

const approved: FollowedTemplate = {
  status: 'APPROVED',
  statusToldAt: null,
  updatedAt: new Date(0),
  category: 'UTILITY',
  qualityScore: 'GREEN',
  rejectedReason: null,
  otherFields: '{"n":1.0}',
  componentsAsSent: true,
};

function statusChange(event: string): StatusChange {
  return { kind: 'status', event, atMs: undefined, reason: null, category: null, rejectionInfo: null };
}

function apply(value: Record<string, unknown>, template = approved, field = 'message_template_status_update') {
  const told = readTemplateChange(changeOf(field, { ...IDENTITY, ...value }));
  assert.ok(told);
  return applyTemplateChange(template, told.change);
}

test('status event → status, reason and category stored', () => {
  const events = [
    'APPROVED',
    'PENDING',
    'REJECTED',
    'PAUSED',
    'DISABLED',
    'IN_APPEAL',
    'PENDING_DELETION',
    'DELETED',
    'LIMIT_EXCEEDED',
    'ARCHIVED',
  ];
  for (const event of events) {
    const after = apply({ event, reason: 'SCAM', message_template_category: 'MARKETING' });
    assert.deepEqual(after, { ...approved, status: event, rejectedReason: 'SCAM', category: 'MARKETING' });
  }
});

test('status event: flagged or locked → unchanged; reinstated or unarchived → approved', () => {
  const paused = { ...approved, status: 'PAUSED' };
  assert.equal(apply({ event: 'FLAGGED', reason: null }), approved);
  assert.equal(apply({ event: 'LOCKED', reason: 'NONE' }), approved);
  assert.equal(apply({ event: 'FLAGGED' }, paused), paused);
  assert.equal(apply({ event: 'REINSTATED', reason: 'NONE' }, paused).status, 'APPROVED');
  assert.equal(apply({ event: 'UNARCHIVED', reason: null }, { ...approved, status: 'ARCHIVED' }).status, 'APPROVED');
});

test('unknown event → no change, reading requested', () => {
  const told = readTemplateChange(changeOf('message_template_status_update', { ...IDENTITY, event: 'FROZEN' }));
  assert.ok(told);
  assert.equal(applyTemplateChange(approved, told.change), approved);
  assert.equal(needsReading(told.change, approved), true);
});

test('deleted template: later change → stays deleted until a reading', () => {
  const deleted = { ...approved, status: 'DELETED' };
  const told = readTemplateChange(changeOf('message_template_status_update', { ...IDENTITY, event: 'APPROVED' }));
  assert.ok(told);
  assert.equal(applyTemplateChange(deleted, told.change), deleted);
  assert.equal(needsReading(told.change, deleted), true);
});

test('status older than the last reported one → no change, reading requested', () => {
  const at = (event: string, atMs: number): TemplateChange => ({ ...statusChange(event), atMs });
  const paused = applyTemplateChange(approved, at('PAUSED', 2_000));
  assert.equal(paused.status, 'PAUSED');
  for (const event of ['APPROVED', 'DELETED']) {
    const late = at(event, 1_000);
    assert.equal(applyTemplateChange(paused, late), paused);
    assert.equal(needsReading(late, paused), true);
  }
  assert.equal(
    applyTemplateChange(paused, at('APPROVED', 2_000)).status,
    'APPROVED',
    'of one second the later told counts',
  );
  assert.equal(applyTemplateChange(paused, statusChange('APPROVED')).status, 'APPROVED', 'without a time it counts');
});

test('rejection info → kept until the next verdict', () => {
  const rejected = apply({
    event: 'REJECTED',
    reason: 'INVALID_FORMAT',
    rejection_info: { reason: 'a', recommendation: 'b' },
  });
  assert.equal(rejected.otherFields, '{"n":1.0,"rejection_info":{"reason":"a","recommendation":"b"}}');
  assert.equal(apply({ event: 'APPROVED', reason: 'NONE' }, rejected).otherFields, '{"n":1.0,"rejection_info":null}');
});

test('quality: wrong field name of the platform → recognized by its shape', () => {
  const value = { previous_quality_score: 'GREEN', new_quality_score: 'YELLOW' };
  for (const field of ['message_template_quality_update', 'message_template_status_update', 'new_field']) {
    assert.equal(apply(value, approved, field).qualityScore, 'YELLOW');
  }
});

test('reported quality → replaces the one read, with its own time', () => {
  const read = { ...approved, otherFields: '{"quality_score":{"score":"GREEN","date":1.0},"n":1.0}' };
  const change = changeOf('message_template_quality_update', { ...IDENTITY, new_quality_score: 'RED' });
  const apply = (told: AccountChange) => {
    const { change } = readTemplateChange(told) ?? {};
    assert.ok(change);
    return applyTemplateChange(read, change).otherFields;
  };
  assert.equal(apply({ ...change, atMs: 7_000 }), '{"n":1.0,"quality_score":{"score":"RED","date":7}}');
  assert.equal(apply(change), '{"n":1.0,"quality_score":null}');
});

test('category: announced move → not in force; completed move → in force', () => {
  const field = 'template_category_update';
  const announced = apply(
    { new_category: 'UTILITY', correct_category: 'MARKETING', category_update_timestamp: 1_746_169_200 },
    approved,
    field,
  );
  assert.equal(announced.category, 'UTILITY');
  assert.deepEqual(JSON.parse(announced.otherFields), {
    n: 1,
    correct_category: 'MARKETING',
    category_update_timestamp: 1_746_169_200,
  });
  const done = apply({ previous_category: 'UTILITY', new_category: 'MARKETING' }, announced, field);
  assert.equal(done.category, 'MARKETING');
  assert.equal(JSON.parse(done.otherFields).previous_category, 'UTILITY');
  assert.equal(JSON.parse(done.otherFields).correct_category, 'MARKETING');
});

test('changed components → reading requested', () => {
  const value = { ...IDENTITY, message_template_element: 'Your cake {{1}} is ready.' };
  for (const field of ['message_template_components_update', 'new_field']) {
    const told = readTemplateChange(changeOf(field, value));
    assert.deepEqual(told?.change, { kind: 'components' });
    assert.equal(needsReading(told.change, approved), true);
    assert.equal(applyTemplateChange(approved, told.change).componentsAsSent, false);
  }
});

test('template reference: id → exact digits; no id → name and language with underscore', () => {
  const value = { ...IDENTITY, event: 'APPROVED' };
  const big = readTemplateChange(changeOf('f', value, { message_template_id: '12345678901234567891' }));
  assert.equal(big?.id, '12345678901234567891');
  assert.equal(readTemplateChange(changeOf('f', { ...value, message_template_id: '77' }))?.id, '77');
  const { message_template_id: _, ...nameless } = value;
  const told = readTemplateChange(changeOf('f', nameless));
  assert.deepEqual([told?.id, told?.name, told?.language], [undefined, 'cake_ready', 'en_US']);
});

test('webhook about no template, or unreadable → ignored', () => {
  const values: Record<string, unknown>[] = [
    { event: 'ACCOUNT_DELETED' },
    { display_phone_number: '15550100', event: 'THROUGHPUT_UPGRADE' },
    { ...IDENTITY },
    { ...IDENTITY, event: 7 },
    { ...IDENTITY, event: 'APPROVED\u0000' },
    { ...IDENTITY, new_quality_score: { score: 'RED' } },
    { event: 'APPROVED', message_template_name: 'x' },
    { event: 'APPROVED', message_template_id: 1.5 },
    { event: 'APPROVED', message_template_id: -3, message_template_name: '\u0000', message_template_language: 'en' },
  ];
  for (const value of values) assert.equal(readTemplateChange(changeOf('f', value)), undefined, JSON.stringify(value));
});

test('two statuses in one second → reading requested after that second', () => {
  const at = (event: string): TemplateChange => ({ ...statusChange(event), atMs: 2_000 });
  const paused = applyTemplateChange(approved, at('PAUSED'));
  assert.equal(needsReading(at('APPROVED'), paused), true);
  assert.equal(needsReading(at('REINSTATED'), paused), true);
  assert.equal(needsReading(at('PAUSED'), paused), false, 'the same status is no contradiction');
  assert.equal(needsReading(at('FLAGGED'), paused), false, 'nor is what leaves the status');
  assert.equal(readingDueAt(at('APPROVED'), 2_300), 3_000);
  assert.equal(readingDueAt(at('APPROVED'), 9_000), 9_000);
  assert.equal(readingDueAt({ kind: 'components' }, 2_300), 2_300);
});

test('status older than the record and different → reading requested', () => {
  const stored = { ...approved, updatedAt: new Date(9_000) };
  const at = (event: string, atMs: number): TemplateChange => ({ ...statusChange(event), atMs });
  assert.equal(needsReading(at('PAUSED', 8_000), stored), true);
  assert.equal(needsReading(at('PAUSED', 8_001), stored), false, 'a stamp is of a whole second');
  assert.equal(needsReading(at('APPROVED', 1_000), stored), false, 'what is known already');
  assert.equal(needsReading(at('FLAGGED', 1_000), stored), false, 'what leaves the status');
});

test('category or quality older than the record → no change, reading requested', () => {
  const stored = { ...approved, category: 'MARKETING', qualityScore: 'RED', updatedAt: new Date(9_000) };
  const category = { new_category: 'UTILITY', correct_category: 'MARKETING' };
  const quality = { previous_quality_score: 'RED', new_quality_score: 'GREEN' };
  const status = { event: 'APPROVED', reason: null, message_template_category: 'UTILITY' };
  const told = (value: object, atMs: number | undefined) => {
    const read = readTemplateChange({ ...changeOf('f', { ...IDENTITY, ...value }), atMs });
    assert.ok(read);
    const { category, qualityScore, otherFields } = applyTemplateChange(stored, read.change);
    return { category, qualityScore, otherFields, asks: needsReading(read.change, stored) };
  };
  const unchanged = { category: 'MARKETING', qualityScore: 'RED', otherFields: '{"n":1.0}', asks: true };
  for (const value of [category, quality, status]) assert.deepEqual(told(value, 8_000), unchanged);
  for (const atMs of [8_001, undefined]) {
    assert.deepEqual([told(category, atMs).category, told(category, atMs).asks], ['UTILITY', false]);
    assert.deepEqual([told(quality, atMs).qualityScore, told(quality, atMs).asks], ['GREEN', false]);
    assert.deepEqual([told(status, atMs).category, told(status, atMs).asks], ['UTILITY', false]);
  }
  const same = told({ new_category: 'MARKETING', correct_category: 'UTILITY' }, 1_000);
  assert.deepEqual([JSON.parse(same.otherFields).correct_category, same.asks], ['UTILITY', false]);
});

test('changes in one batch, any order → newer category and quality win', () => {
  const at = (value: object, atMs: number) => {
    const read = readTemplateChange({ ...changeOf('f', { ...IDENTITY, ...value }), atMs });
    assert.ok(read);
    return read.change;
  };
  const moved = applyTemplateChange(approved, at({ previous_category: 'UTILITY', new_category: 'MARKETING' }, 5_000));
  const rated = applyTemplateChange(moved, at({ new_quality_score: 'RED' }, 6_000));
  for (const late of [
    at({ new_category: 'UTILITY', correct_category: 'MARKETING' }, 2_000),
    at({ new_quality_score: 'GREEN' }, 2_000),
  ]) {
    assert.equal(applyTemplateChange(rated, late), rated);
    assert.equal(needsReading(late, rated), true);
  }
});

test('unknown template: deletion event → no reading', () => {
  assert.equal(needsReading(statusChange('APPROVED'), undefined), true);
  assert.equal(needsReading(statusChange('APPROVED'), approved), false);
  assert.equal(needsReading(statusChange('DELETED'), undefined), false);
  assert.equal(needsReading(statusChange('PENDING_DELETION'), undefined), false);
  assert.equal(needsReading(statusChange('UNARCHIVED'), approved), true);
  assert.equal(needsReading({ kind: 'quality', score: 'RED', atMs: undefined, fields: '{}' }, undefined), true);
  assert.equal(needsReading({ kind: 'quality', score: 'RED', atMs: undefined, fields: '{}' }, approved), false);
});
