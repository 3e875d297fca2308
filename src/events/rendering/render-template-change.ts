import { object, quoted } from '../../core/json/index.ts';
import type { Event } from '../event.ts';

/** Members of a template event's detail that a webhook of the upstream has, too. */
interface TemplateDetail {
  template_id: string;
  name?: string;
  language?: string;
  status?: string | null;
  event?: string;
  reason?: string | null;
  category?: string;
  previous_category?: string | null;
  quality_score?: string;
  previous_quality_score?: string | null;
}

/**
 * Renders a template change that Fairway found by itself, with the field and shape of the upstream's webhook; undefined for other events.
 */
export function renderTemplateChange(event: Event): { field: string; value: string } | undefined {
  const detail = JSON.parse(event.detail ?? '{}') as TemplateDetail;
  switch (event.type) {
    case 'template.status_updated':
      return {
        field: 'message_template_status_update',
        value: object([
          ['event', quoted(detail.event ?? detail.status ?? null)],
          ...identityOf(detail),
          ['reason', quoted(detail.reason ?? null)],
        ]),
      };
    case 'template.category_updated':
      return {
        field: 'template_category_update',
        value: object([
          ...identityOf(detail),
          ['previous_category', quoted(detail.previous_category ?? null)],
          ['new_category', quoted(detail.category ?? null)],
        ]),
      };
    case 'template.quality_updated':
      return {
        field: 'message_template_quality_update',
        value: object([
          // UNKNOWN is the upstream's word for no score.
          ['previous_quality_score', quoted(detail.previous_quality_score ?? 'UNKNOWN')],
          ['new_quality_score', quoted(detail.quality_score ?? null)],
          ...identityOf(detail),
        ]),
      };
    default:
      return undefined;
  }
}

/**
 * Returns the template's identity as the upstream posts it: the id as an integer, which may be too large for a number here, and the
 * language with a hyphen.
 */
function identityOf({ template_id: id, name = '', language = '' }: TemplateDetail): [name: string, json: string][] {
  return [
    ['message_template_id', /^[1-9]\d*$/.test(id) ? id : quoted(id)],
    ['message_template_name', quoted(name)],
    ['message_template_language', quoted(language.replace('_', '-'))],
  ];
}
