import { AppError } from '../../core/errors.ts';
import type { TemplateChoice } from '../../templates/index.ts';

/** Longest name of a template. Error messages cut a longer one. */
const SHOWN_CHARS_MAX = 512;

/** Returns the error if no version of the named template can be sent (api-rules#template-choice). */
export function templateRefusal(
  named: { name: string; language: string | undefined },
  choice: Exclude<TemplateChoice, { kind: 'chosen' }>,
): AppError {
  const name = shown(named.name);
  switch (choice.kind) {
    case 'not_found':
      return new AppError('TEMPLATE_NOT_FOUND', `There is no template "${name}" on this number's business account.`);
    case 'language_required':
      return new AppError(
        'TEMPLATE_LANGUAGE_REQUIRED',
        `The template "${name}" exists in several languages; name one.`,
        { available_languages: choice.availableLanguages },
      );
    case 'language_not_found':
      return new AppError(
        'TEMPLATE_LANGUAGE_NOT_FOUND',
        `The template "${name}" does not exist in "${shown(named.language ?? '')}".`,
        {
          available_languages: choice.availableLanguages,
        },
      );
    case 'not_approved':
      return new AppError('TEMPLATE_NOT_APPROVED', `The template "${name}" is ${choice.version.status}, not APPROVED.`);
  }
}

function shown(text: string): string {
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}
