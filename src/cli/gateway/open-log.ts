import { type LogFn, type Logger, pino } from 'pino';
import { RepeatedLines } from './repeated-lines.ts';

/** Most bytes buffered while the disk is full; more are dropped. */
const WAITING_BYTES_MAX = 1024 * 1024;
const WARN = pino.levels.values.warn ?? 0;

/**
 * Opens the process's log: JSON lines on stdout, or on stderr if stdout is a terminal, which shows the banner. Errors are logged by type,
 * code and stack only. A repeated warning or error is written once a minute, with the number left out. Lines that cannot be written,
 * because the disk is full or the reader has stopped, neither end nor delay the process.
 * @param bindings members of every line
 */
export function openLog(level: string, bindings: { worker: number } | null = null): Logger {
  const destination = pino.destination({
    dest: process.stdout.isTTY ? 2 : 1,
    sync: true,
    maxLength: WAITING_BYTES_MAX,
    // Without this, a stalled reader, such as a log shipper whose server is down, would stall the process.
    retryEAGAIN: () => false,
  });
  destination.on('error', () => {});
  process.stdout.on('error', () => {});
  const repeated = new RepeatedLines();
  return pino(
    {
      level,
      hooks: {
        logMethod(args, write, weight) {
          const leftOut = weight < WARN ? 0 : repeated.leftOut(whatIsSaid(weight, args), performance.now());
          if (leftOut !== undefined) write.apply(this, leftOut === 0 ? args : withRepeated(args, leftOut));
        },
      },
      base: bindings,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    destination,
  );
}

type LogArguments = Parameters<LogFn>;

/** The content of a line, without its time and its error's stack. */
function whatIsSaid(weight: number, args: LogArguments): string {
  return JSON.stringify([weight, ...args], (_name, value: unknown) =>
    value instanceof Error ? { ...describeError(value), stack: undefined, cause: undefined } : value,
  );
}

function withRepeated([first, ...rest]: LogArguments, leftOut: number): LogArguments {
  return typeof first === 'string'
    ? [{ repeated: leftOut }, first, ...rest]
    : [{ ...(first as object), repeated: leftOut }, ...rest];
}

// Errors of drivers and clients carry whole requests and connection settings; only these fields are known to be harmless.
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
