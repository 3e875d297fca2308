import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Failover } from './checker.ts';

/** Options of a run. */
export interface ChaosOptions {
  seed: number;
  /** Longest time in which faults occur, minutes. */
  minutes: number;
  /** Faults occur until this many gateways and databases were killed; null for the time in `minutes`. */
  gatewayKills: number | null;
  postgresKills: number | null;
  perSecond: number;
  lanes: number;
  /** Messages that some lanes send in a row: more than a pair's burst. */
  hotMessages: number;
  /** Longest wait for the next message to leave the queue at the end, seconds. */
  settleSeconds: number;
  /** Leaves out the faults that cause the gateway's longest waits, and does not wait for holds to end. */
  brief: boolean;
  /** Fails only for findings that do not depend on the machine's speed: lost, duplicated, misordered or wrong. */
  untimed: boolean;
  failovers: readonly Failover['how'][];
  /** Replaces all other tests: the number of messages to send whose outcomes all stay unknown. */
  unknown: number | null;
  /** Replaces all other tests: the number of stored messages among which two people are erased. */
  erasure: number | null;
  /** Directory for logs and the database; it is kept. */
  runDir: string;
}

/** Seconds between two messages to one recipient. Faster than the pair limit allows, the queue would only grow. */
const LANE_SECONDS = 10;
/** Seconds in a brief run: faster, which tests order harder, and possible while the pair's burst lasts. */
const BRIEF_LANE_SECONDS = 2;

/** Reads the command line. Ends the process with a message if an option is invalid. */
export function readChaosOptions(args: readonly string[]): ChaosOptions {
  const command = new Command('chaos')
    .description(
      'Runs two gateways, PostgreSQL and the simulated upstream, breaks them under load, and judges the result.',
    )
    .option(
      '--minutes <n>',
      'longest time in which faults occur: 1, half of that if brief, 60 with a number of kills',
      numberOf,
    )
    .option('--gateway-kills <n>', 'continue until this many gateways were killed', numberOf)
    .option('--postgres-kills <n>', 'continue until PostgreSQL was killed this often', numberOf)
    .option('--per-second <n>', 'messages per second', numberOf, 60)
    .option('--lanes <n>', 'recipients: as many as the messages of ten seconds, or of two if brief', numberOf)
    .option('--hot-messages <n>', 'messages that some recipients get in a row: 55, or 48 if brief', numberOf)
    .option('--settle-seconds <n>', 'longest wait for the queue to empty', numberOf, 240)
    .option('--brief', 'leave out the faults that cause the longest waits', false)
    .option('--untimed', 'fail only for findings that do not depend on the machine', false)
    .option('--unknown <n>', 'run instead: this many messages that the upstream never answers', numberOf)
    .option('--erasure <n>', 'run instead: erase two people among this many messages', numberOf)
    .option('--seed <n>', 'repeat the choices of another run', numberOf, Math.floor(Math.random() * 2 ** 31))
    .parse(args, { from: 'user' });
  const options = command.opts();
  const isBounded = options.gatewayKills !== undefined || options.postgresKills !== undefined;
  return {
    seed: options.seed,
    minutes: options.minutes ?? (isBounded ? 60 : options.brief ? 0.5 : 1),
    gatewayKills: isBounded ? (options.gatewayKills ?? 0) : null,
    postgresKills: isBounded ? (options.postgresKills ?? 0) : null,
    perSecond: options.perSecond,
    lanes: options.lanes ?? options.perSecond * (options.brief ? BRIEF_LANE_SECONDS : LANE_SECONDS),
    hotMessages: options.hotMessages ?? (options.brief ? 48 : 55),
    settleSeconds: options.settleSeconds,
    brief: options.brief,
    untimed: options.untimed,
    unknown: options.unknown ?? null,
    erasure: options.erasure ?? null,
    failovers: options.brief ? ['SIGTERM'] : ['SIGKILL', 'SIGTERM'],
    runDir: mkdtempSync(join(tmpdir(), 'fairway-chaos-')),
  };
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0) throw new Error(`not a number: ${text}`);
  return value;
}
