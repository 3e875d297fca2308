import { ERRORS_PAGE, findAdvice } from '../../core/catalogue/find-advice.ts';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import type { Api } from './api.ts';

/** The entry of the error catalogue for a code. */
export interface Advice {
  /** Meaning and next step as Markdown; null for codes of the platform, and if the gateway serves no reference. */
  advice: string | null;
  doc_url: string | null;
}

/**
 * Reads the entry of the gateway's error catalogue for a code.
 * @param url base URL of the gateway
 */
export async function readAdvice(api: Api, url: string, code: string): Promise<Advice> {
  const advice = findAdvice(await readPage(api), code);
  if (advice === undefined) return { advice: null, doc_url: null };
  return { advice, doc_url: `${url}${ERRORS_PAGE.replace(/\.md$/, '')}#${code}` };
}

async function readPage(api: Api): Promise<string> {
  try {
    return await (await api.open('GET', ERRORS_PAGE)).text();
  } catch (error) {
    if (error instanceof CliError && error.exitCode === EXIT.notFound) return '';
    throw error;
  }
}
