import type { ErrorComponentProps } from '@tanstack/react-router';
import { FailureNote } from '../parts/states.tsx';

/** Stands in place of a page that failed to load or to draw. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  return <FailureNote error={error} onRetry={reset} />;
}
