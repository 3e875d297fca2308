import { AppError } from '../../core/errors.ts';
import type { TemplateDeps } from '../template-deps.ts';
import { upstreamError } from '../upstream-error.ts';

/** Fields of a summary. Only the upstream knows how many templates a business account may have. */
const FIELDS = ['total_count', 'message_template_count', 'message_template_limit', 'are_translations_complete'];

/**
 * Returns the upstream's counts of a WABA's templates as JSON text: the fields in `asked`, or the number of templates if it names none.
 * Raises RATE_LIMITED, PROVIDER_REJECTED, and INTERNAL_ERROR for temporary trouble.
 */
export async function summarizeTemplates(
  deps: Pick<TemplateDeps, 'accounts' | 'clock' | 'summaries' | 'upstream'>,
  organizationId: string,
  wabaId: string,
  asked: string,
): Promise<string> {
  const words = asked.split(',').map((word) => word.trim());
  const fields = FIELDS.filter((field) => words.includes(field)).join(',') || 'total_count';
  const summary = await deps.summaries.find(
    `${organizationId}/${wabaId}`,
    fields,
    deps.clock.monotonicMs(),
    async () => {
      const { token } = await deps.accounts.tokenOf(organizationId, wabaId);
      const counted = await deps.upstream.summarizeTemplates(wabaId, token, fields);
      if (counted.kind !== 'ok') throw upstreamError(counted);
      return counted.value;
    },
  );
  if (summary !== undefined) return summary;
  throw new AppError('RATE_LIMITED', 'Too many kinds of summary were asked for.', { retryAfterSeconds: 60 });
}
