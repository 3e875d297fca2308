import { type Logger, pino } from 'pino';

/** What waits for a full disk to have room again; more is dropped. */
const WAITING_BYTES_MAX = 1024 * 1024;

/**
 * The process's log: JSON lines on stdout, or on stderr where stdout is a terminal that shows the banner. Errors are logged by type,
 * code and stack alone. Lines that cannot be written, because the disk is full or nobody reads them, end nothing.
 */
export function openLog(level: string): Logger {
  const destination = pino.destination({
    dest: process.stdout.isTTY ? 2 : 1,
    sync: true,
    maxLength: WAITING_BYTES_MAX,
  });
  destination.on('error', () => {});
  process.stdout.on('error', () => {});
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    destination,
  );
}

// Errors of drivers and clients carry whole requests and connection settings; nothing but these fields is known to be harmless.
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: 'not an Error' };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    stack: error.stack,
    ...(error.cause instanceof Error && {
      cause: { type: error.cause.name, message: error.cause.message, stack: error.cause.stack },
    }),
  };
}
