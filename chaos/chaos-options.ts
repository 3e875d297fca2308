import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Failover } from './checker.ts';

/** How a run goes. */
export interface ChaosOptions {
  seed: number;
  /** How long things go wrong, at most. */
  minutes: number;
  /** Things go wrong until so many gateways and databases were killed; null for as long as `minutes` say. */
  gatewayKills: number | null;
  postgresKills: number | null;
  perSecond: number;
  lanes: number;
  /** Messages some lanes send in one go, more than the pair limit lets through at once. */
  hotMessages: number;
  /** Longest wait for the quiet end in which nothing leaves the queue. */
  settleSeconds: number;
  /** Leaves out the faults that take the gateway's longest waits, and does not wait for holds to end. */
  brief: boolean;
  /** Fails only for what no machine is too slow for: nothing lost, doubled, out of order or wrong. */
  untimed: boolean;
  failovers: readonly Failover['how'][];
  /** Instead of everything else: sends so many messages whose outcomes all stay unknown. */
  unknown: number | null;
  /** Takes logs and the database; kept. */
  runDir: string;
}

/** A recipient is sent a message in so many seconds: less than the pair limit lets through, or the queue would only grow. */
const LANE_SECONDS = 10;
/** More, as long as the burst lasts: there is more order to keep. */
const BRIEF_LANE_SECONDS = 2;

/** Reads the command line. Ends the process with a message when it makes no sense. */
export function readChaosOptions(args: readonly string[]): ChaosOptions {
  const command = new Command('chaos')
    .description(
      'Runs two gateways, PostgreSQL and the simulated upstream, breaks them under load, and judges what came of it.',
    )
    .option(
      '--minutes <n>',
      'how long things go wrong at most: 1, half of that when brief, 60 with kills to count',
      numberOf,
    )
    .option('--gateway-kills <n>', 'go on until so many gateways were killed', numberOf)
    .option('--postgres-kills <n>', 'go on until PostgreSQL was killed so often', numberOf)
    .option('--per-second <n>', 'messages per second', numberOf, 60)
    .option('--lanes <n>', 'recipients: as many as the messages of ten seconds, or of two when brief', numberOf)
    .option('--hot-messages <n>', 'messages some recipients get in one go: 55, or 48 when brief', numberOf)
    .option('--settle-seconds <n>', 'longest wait for the queue to empty', numberOf, 240)
    .option('--brief', 'leave out what takes the longest waits', false)
    .option('--untimed', 'fail only for what no machine is too slow for', false)
    .option('--unknown <n>', 'instead: so many messages that the upstream never answers', numberOf)
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
    failovers: options.brief ? ['SIGTERM'] : ['SIGKILL', 'SIGTERM'],
    runDir: mkdtempSync(join(tmpdir(), 'fairway-chaos-')),
  };
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0) throw new Error(`not a number: ${text}`);
  return value;
}
