/** One language version of a template, with the fields that acceptance checks. */
export interface TemplateVersion {
  language: string;
  status: string;
  category: string;
  /** `message_send_ttl_seconds` as text; null if the template states none. */
  ttlSeconds: string | null;
  /** True if the platform has refused it at `/marketing_messages`. */
  isMarketingRefused: boolean;
}

export type TemplateChoice =
  | { kind: 'chosen'; version: TemplateVersion }
  | { kind: 'not_found' }
  | { kind: 'language_required'; availableLanguages: string[] }
  | { kind: 'language_not_found'; availableLanguages: string[] }
  | { kind: 'not_approved'; version: TemplateVersion };

/**
 * Chooses the version of a template for a send (api-rules#template-choice). `versions` lists all languages known under the name on the
 * sending number's WABA, without deleted ones. Without a language, the name must have exactly one version.
 */
export function chooseTemplate(versions: readonly TemplateVersion[], language: string | undefined): TemplateChoice {
  if (versions.length === 0) return { kind: 'not_found' };
  const availableLanguages = versions.map((version) => version.language).sort();
  if (language === undefined && versions.length > 1) return { kind: 'language_required', availableLanguages };
  const version = language === undefined ? versions[0] : versions.find((known) => known.language === language);
  if (version === undefined) return { kind: 'language_not_found', availableLanguages };
  return version.status === 'APPROVED' ? { kind: 'chosen', version } : { kind: 'not_approved', version };
}
