import { AppError } from '../core/errors.ts';
import type { TemplateChoice } from '../templates/index.ts';

/** What a client is told when no version of the template it named can be sent (spec 4.2 rules 3 and 4). */
export function templateRefusal(
  named: { name: string; language: string | undefined },
  choice: Exclude<TemplateChoice, { kind: 'chosen' }>,
): AppError {
  const { name, language } = named;
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
      return new AppError('TEMPLATE_LANGUAGE_NOT_FOUND', `The template "${name}" does not exist in "${language}".`, {
        available_languages: choice.availableLanguages,
      });
    case 'not_approved':
      return new AppError('TEMPLATE_NOT_APPROVED', `The template "${name}" is ${choice.version.status}, not APPROVED.`);
  }
}
