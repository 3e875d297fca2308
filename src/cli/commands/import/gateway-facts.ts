import type { Api } from '../../api/api.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import type { KnownFacts } from './read-send.ts';
import { type Needs, needsOf, type Template } from './template-components.ts';

interface TemplatePage {
  data: Template[];
  paging?: { cursors: { after: string }; next?: string };
}

/** Reads the templates, and returns the questions that the rows of an import ask. */
export async function readGatewayFacts(api: Api): Promise<Pick<KnownFacts, 'needsOf' | 'hasNumber'>> {
  const needs = await readTemplates(api);
  const numbers = new Map<string, Promise<boolean>>();
  return {
    needsOf(name, language) {
      return needs.get(templateKey(name, language)) ?? { problem: 'it does not exist' };
    },
    hasNumber(phoneNumberId) {
      const known = numbers.get(phoneNumberId) ?? askNumber(api, phoneNumberId);
      numbers.set(phoneNumberId, known);
      return known;
    },
  };
}

async function readTemplates(api: Api): Promise<Map<string, Needs>> {
  const needs = new Map<string, Needs>();
  for (let after: string | undefined; ; ) {
    const page: TemplatePage = await api.get('/v1/templates', { limit: 100, after });
    for (const template of page.data) {
      const key = templateKey(template.name, template.language);
      if (template.status === 'APPROVED') needs.set(key, needsOf(template));
      else if (!needs.has(key)) needs.set(key, { problem: `it is ${template.status}` });
    }
    if (page.paging?.next === undefined) return needs;
    after = page.paging.cursors.after;
  }
}

function templateKey(name: string, language: string): string {
  return `${name} ${language}`;
}

async function askNumber(api: Api, phoneNumberId: string): Promise<boolean> {
  if (!/^\d{1,32}$/.test(phoneNumberId)) return false;
  try {
    await api.get(`/v1/${phoneNumberId}`);
    return true;
  } catch (error) {
    if (error instanceof CliError && error.exitCode === EXIT.notFound) return false;
    throw error;
  }
}
