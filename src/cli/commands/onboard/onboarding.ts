import type { Style } from '../../terminal/output.ts';
import { renderTable } from '../../terminal/table.ts';

/** A step as the admin API shows it, as far as the command reads it. */
export interface Step {
  step: string;
  state: 'waiting' | 'running' | 'done' | 'failed' | 'skipped';
  at: string | null;
  message: string | null;
  code: string | null;
  advice: string | null;
  choices: { id: string; label: string }[];
}

export interface Onboarding {
  id: string;
  state: string;
  steps: Step[];
}

const STYLES: Record<Step['state'], Style> = {
  waiting: 'dim',
  running: 'cyan',
  done: 'green',
  failed: 'red',
  skipped: 'dim',
};

/** Returns a step on one line. */
export function lineOf({ step, state, message }: Step): string {
  return `${step}: ${state}${message === null ? '' : `. ${message}`}`;
}

/** Renders the steps as a table, with the advice of those that need a person. */
export function renderSteps({ steps }: Onboarding): Promise<string> {
  return renderTable(
    [
      { title: 'STEP', text: ({ step }) => step },
      { title: 'STATE', text: ({ state }) => state, style: ({ state }) => STYLES[state] },
      { title: 'CODE', text: ({ code }) => code },
      { title: 'FOUND', text: foundOf, wraps: true },
    ],
    steps,
  );
}

function foundOf({ message, advice, choices }: Step): string {
  const options = choices.map(({ id, label }) => (id === label ? id : `${id} (${label})`)).join(', ');
  return [message, advice, options === '' ? null : `To choose from: ${options}.`]
    .filter((text) => text !== null)
    .join(' ');
}
