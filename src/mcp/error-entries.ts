import { type Gateway, GatewayError } from './gateway.ts';

/** The page of the reference with one section for each error code. */
export const ERRORS_PAGE = '/docs/errors.md';

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
  const section = page.split(/^## /m).find((part) => part.split('\n', 1)[0]?.trim() === code);
  if (section === undefined) return { code, advice: null, doc_url: null };
  const advice = section
    .slice(section.indexOf('\n'))
    .replace(/```[\s\S]*?```/g, '')
    .trim();
  return { code, advice, doc_url: `${gateway.url}/docs/errors#${code}` };
}
