import { ERRORS_PAGE, findAdvice } from '../core/catalogue/find-advice.ts';
import { type Gateway, GatewayError } from './gateway.ts';

export interface ErrorEntry {
  code: string;
  /** Meaning and next step as Markdown; null for codes of the platform, and if the gateway serves no reference. */
  advice: string | null;
  doc_url: string | null;
}

/** Returns the entry of the gateway's error catalogue for a code. */
export async function findErrorEntry(gateway: Gateway, code: string): Promise<ErrorEntry> {
  const page = await gateway.getText(ERRORS_PAGE).catch((error: unknown) => {
    if (error instanceof GatewayError && error.facts.status === 404) return '';
    throw error;
  });
  const advice = findAdvice(page, code);
  if (advice === undefined) return { code, advice: null, doc_url: null };
  return { code, advice, doc_url: `${gateway.url}/docs/errors#${code}` };
}
