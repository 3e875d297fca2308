/** Exit codes of the program, one for each kind of ending. Scripts depend on the numbers: never reuse one. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  notFound: 4,
  unauthorized: 5,
  unavailable: 6,
  unmet: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meaning of each exit code, for the help and the documentation. */
export const EXIT_MEANINGS: Record<ExitCode, string> = {
  0: 'done',
  1: 'failed unexpectedly',
  2: 'wrong command, argument, option or configuration',
  3: 'refused by the gateway (other 4xx)',
  4: 'not found (404)',
  5: 'no credential, or the gateway refuses it (401, or 403 for a missing scope or role)',
  6: 'gateway unreachable, or it failed (5xx)',
  7: 'condition not met: a message failed, the doctor found a fault, a no was answered, or a time limit passed',
  130: 'interrupted by Ctrl-C',
};
