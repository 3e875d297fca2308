import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TemplateChange } from './template-change.ts';
import { type ToldTemplate, templateEvents, toldEvents } from './template-events.ts';

const template = (extra: Partial<ToldTemplate> = {}): ToldTemplate => ({
  organizationId: 'o',
  wabaId: '7',
  id: '12345678901234567890',
  name: 'order_update',
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  qualityScore: null,
  rejectedReason: null,
  ...extra,
});
const status = (event: string): TemplateChange => ({
  kind: 'status',
  event,
  atMs: undefined,
  reason: 'NONE',
  category: null,
  rejectionInfo: null,
});
const detailsOf = (events: { detail: string }[]) => events.map((event) => JSON.parse(event.detail));

describe('template events', () => {
  it('changed status, category and quality → one event each, with the previous value', () => {
    const after = template({ status: 'PAUSED', category: 'MARKETING', qualityScore: 'RED' });
    const events = templateEvents(template(), after);
    assert.deepEqual(
      events.map((event) => event.type),
      ['template.status_updated', 'template.category_updated', 'template.quality_updated'],
    );
    const [paused, moved, rated] = detailsOf(events);
    assert.equal(paused.template_id, '12345678901234567890');
    assert.deepEqual([paused.status, paused.previous_status], ['PAUSED', 'APPROVED']);
    assert.deepEqual([moved.category, moved.previous_category], ['MARKETING', 'UTILITY']);
    assert.deepEqual([rated.quality_score, rated.previous_quality_score], ['RED', null]);
  });

  it('no change → no event', () => {
    assert.deepEqual(templateEvents(template(), template({ name: 'renamed', rejectedReason: 'X' })), []);
  });

  it('quality no longer reported → no event', () => {
    assert.deepEqual(templateEvents(template({ qualityScore: 'GREEN' }), template()), []);
  });

  it('webhook with known facts → no event', () => {
    assert.deepEqual(toldEvents(template(), status('APPROVED'), template(), template()), []);
    assert.deepEqual(
      toldEvents(template(), { kind: 'quality', score: 'RED', atMs: undefined, fields: '{}' }, template(), template()),
      [],
    );
    for (const fields of ['{"correct_category":"UTILITY","previous_category":"MARKETING"}', '{}']) {
      const category: TemplateChange = { kind: 'category', category: 'UTILITY', atMs: undefined, fields };
      assert.deepEqual(toldEvents(template(), category, template(), template()), [], fields);
    }
    assert.deepEqual(toldEvents(template(), { kind: 'components' }, template(), template()), []);
  });

  it('webhook with an event beside the status → passed on', () => {
    const [flagged] = detailsOf(toldEvents(template(), status('FLAGGED'), template(), template()));
    assert.deepEqual([flagged.event, flagged.status, flagged.previous_status], ['FLAGGED', 'APPROVED', 'APPROVED']);
  });

  it('announced category move → event with both categories', () => {
    const change: TemplateChange = {
      kind: 'category',
      category: 'UTILITY',
      atMs: undefined,
      fields: '{"correct_category":"MARKETING","category_update_timestamp":1790000000}',
    };
    const [move] = detailsOf(toldEvents(template(), change, template(), template()));
    assert.deepEqual(
      [move.category, move.correct_category, move.category_update_timestamp],
      ['UTILITY', 'MARKETING', 1_790_000_000],
    );
  });

  it('announced move from a category not in force → no event', () => {
    const fields = '{"correct_category":"MARKETING"}';
    const change: TemplateChange = { kind: 'category', category: 'UTILITY', atMs: 1_000, fields };
    const moved = template({ category: 'MARKETING' });
    assert.deepEqual(toldEvents(moved, change, moved, moved), []);
  });

  it('template not stored yet → event from the webhook', () => {
    const named = { organizationId: 'o', wabaId: '7', id: '1', name: undefined, language: undefined };
    const [approved] = detailsOf(toldEvents(named, status('APPROVED'), undefined, undefined));
    assert.deepEqual(approved, {
      template_id: '1',
      event: 'APPROVED',
      status: 'APPROVED',
      previous_status: null,
      reason: 'NONE',
    });
  });
});
