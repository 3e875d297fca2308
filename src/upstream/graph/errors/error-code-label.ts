import { KNOWN_ERROR_CODES } from './error-classes.ts';

/** A range of more codes than this has one label, so that the labels stay about 150. */
const CODES_MAX = 30;
const UNKNOWN = 'other';

const labels = new Map<string, string>();
for (const { from, to } of KNOWN_ERROR_CODES) {
  for (let code = from; code <= to; code += 1)
    labels.set(String(code), to - from < CODES_MAX ? String(code) : `${from}-${to}`);
}

/** Every value that `errorCodeLabelOf` returns. */
export const ERROR_CODE_LABELS: readonly string[] = [...new Set(labels.values()), UNKNOWN];

/** Returns the label of a platform's error code in metrics: a known code or its range, else `other`. */
export function errorCodeLabelOf(code: string | null): string {
  return (code === null ? undefined : labels.get(code)) ?? UNKNOWN;
}
