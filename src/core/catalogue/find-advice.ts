/** The page of the reference with one section for each error code, as Markdown. */
export const ERRORS_PAGE = '/docs/errors.md';

/**
 * Returns the meaning and the next step of an error code as Markdown, without its example; undefined for codes of the platform.
 * @param page text of `ERRORS_PAGE`
 */
export function findAdvice(page: string, code: string): string | undefined {
  const section = page.split(/^## /m).find((part) => part.split('\n', 1)[0]?.trim() === code);
  return section
    ?.slice(section.indexOf('\n'))
    .replace(/```[\s\S]*?```/g, '')
    .trim();
}
