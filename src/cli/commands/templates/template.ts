import type { Api } from '../../api/api.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Style } from '../../terminal/output.ts';
import { parseExact } from './exact-json.ts';

/** A template of the public API. It has further members, which the platform reports. */
export interface Template {
  id: string;
  waba_id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  quality_score: string | null;
  rejected_reason: string | null;
  components: unknown[];
}

/** Filters of the list of templates. */
export interface TemplateFilter {
  name?: string | undefined;
  name_or_content?: string | undefined;
  language?: string | undefined;
  status?: string | undefined;
  category?: string | undefined;
  waba_id?: string | undefined;
}

interface TemplatePage {
  data: Template[];
  paging?: { cursors: { after: string }; next?: string };
}

const PAGE_MAX = 100;

/** Yields the templates of the tenant, newest first, without deleted ones. */
export async function* readTemplates(api: Api, filter: TemplateFilter = {}): AsyncGenerator<Template> {
  for (let after: string | undefined; ; ) {
    const answer = await api.open('GET', '/v1/templates', { query: { ...filter, limit: PAGE_MAX, after } });
    const page = parseExact(await answer.text()) as TemplatePage;
    yield* page.data;
    if (page.paging?.next === undefined) return;
    after = page.paging.cursors.after;
  }
}

/** Returns a key for the name and the language, which select one template of a business account. */
export function templateKey({ name, language }: Pick<Template, 'name' | 'language'>): string {
  return `${name}.${language}`;
}

/** The templates of one business account. */
export interface Account {
  /** Undefined if there is no template that names the account, and no option either. */
  wabaId: string | undefined;
  /** By `templateKey`. */
  templates: Map<string, Template>;
}

/**
 * Reads the templates of one business account, without those that the platform is deleting.
 * @param wabaId needed if the tenant has templates in several accounts
 * @throws CliError for wrong usage if it is needed and missing
 */
export async function readAccount(api: Api, wabaId: string | undefined): Promise<Account> {
  const all = await Array.fromAsync(readTemplates(api, { waba_id: wabaId }));
  const wabaIds = [...new Set(all.map((template) => template.waba_id))];
  if (wabaIds.length > 1)
    throw new CliError(EXIT.usage, `The templates belong to several business accounts: ${wabaIds.join(', ')}.`, {
      hint: 'Name one with --waba.',
    });
  const present = all.filter(({ status }) => status !== 'PENDING_DELETION');
  return {
    wabaId: wabaId ?? wabaIds[0],
    templates: new Map(present.map((template) => [templateKey(template), template])),
  };
}

/** Returns the style of a template's status. */
export function templateStyle(status: string): Style {
  if (status === 'APPROVED') return 'green';
  return status === 'PENDING' || status === 'IN_APPEAL' ? 'yellow' : 'red';
}
