import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../src/core/seeded-random.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { type Evidence, type Failover, findViolations, type Span } from './checker.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { linkFaults } from './link-faults.ts';
import { Load } from './load.ts';
import { measureFailover } from './measure-failover.ts';
import { Nemesis } from './nemesis.ts';
import { gatewayFaults, postgresFaults } from './process-faults.ts';
import { provision } from './provision.ts';
import { listQueuedMessages, listStoredMessages, type QueuedMessage } from './queries.ts';
import { describeRun, isClean, type Verdict } from './report.ts';
import { readResentIds } from './resent-ids.ts';

const NUMBERS = 4;
const WINDOW_EVERY = 4;
const WARM_UP_MS = 2_000;
const SETTLE_LOOK_MS = 2_000;

/** Runs chaos to its end and judges it. Ends all processes that it started. */
export async function runChaos(options: ChaosOptions, print: (line: string) => void): Promise<Verdict> {
  const { seed, untimed, runDir } = options;
  const startedAtMs = Date.now();
  const cluster = await startCluster(runDir);
  let load: Load | undefined;
  try {
    const [first, second] = cluster.gateways;
    const tenant = await provision({
      upstream: cluster.upstream,
      gatewayPort: first.port,
      adminToken: cluster.adminToken,
      numbers: NUMBERS,
      lanes: options.lanes,
      hotMessages: options.hotMessages,
      windowEvery: WINDOW_EVERY,
    });
    print(`chaos: seed ${seed}, gateways on ${first.port} and ${second.port}, logs in ${runDir}`);
    load = new Load({
      seed,
      apiKey: tenant.apiKey,
      gatewayPorts: [first.port, second.port],
      lanes: tenant.lanes,
      perSecond: options.perSecond,
      recordFile: join(runDir, 'client.jsonl'),
    });
    const struck = await strike(options, cluster, print);
    print('chaos: everything is well again; waiting for the queue to empty');
    const records = await load.finish();
    const evidence = { records, ...struck, ...(await settle(options, cluster, print)) };
    await writeFile(join(runDir, 'evidence.json'), JSON.stringify(evidence));
    const findings = findViolations(evidence);
    const seconds = (Date.now() - startedAtMs) / 1000;
    const notices = evidence.isQuiet ? [] : ['webhooks were still being retried at the end; statuses were not judged'];
    const report = describeRun({ seed, untimed, seconds, faults: struck.faults, notices, runDir }, evidence, findings);
    return { report, isClean: isClean(findings, untimed) };
  } finally {
    load?.kill();
    await cluster.stop();
  }
}

interface Struck {
  faults: Map<string, number>;
  rollingRestarts: Span[];
  failovers: Failover[];
}

/** Measures failover without other faults, then injects all kinds of faults until the time or the kills are used up. */
async function strike(options: ChaosOptions, cluster: Cluster, print: (line: string) => void): Promise<Struck> {
  const { seed, gatewayKills, postgresKills } = options;
  const faults = new Map<string, number>();
  const startedMs = performance.now();
  const told = (name: string, phase: 'strikes' | 'healed') => {
    if (phase === 'strikes') faults.set(name, (faults.get(name) ?? 0) + 1);
    print(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(7)} s  ${name} ${phase}`);
  };
  await delay(WARM_UP_MS);
  const failovers: Failover[] = [];
  for (const [index, how] of options.failovers.entries()) {
    const victim = cluster.gateways[index % 2] ?? cluster.gateways[0];
    failovers.push(await measureFailover({ victim, upstream: cluster.upstream }, how));
    print(`failover after ${how}: ${Math.round(failovers.at(-1)?.gapMs ?? 0)} ms`);
    await victim.whenReady();
  }

  const rollingRestarts: Span[] = [];
  const links = new Nemesis({
    random: seededRandom(seed),
    faults: linkFaults(cluster, options.brief),
    calmMs: [100, 1_500],
    told,
  });
  // With a number of kills, short pauses let the run end sooner.
  const calmMs = gatewayKills === null ? ([200, 1_500] as const) : ([50, 400] as const);
  const databases = new Nemesis({
    random: seededRandom(seed + 1),
    faults: postgresFaults(cluster, postgresKills),
    calmMs,
    told,
  });
  const processes = new Nemesis({
    random: seededRandom(seed + 2),
    faults: gatewayFaults({ ...cluster, others: [links, databases], rollingRestarts }, gatewayKills),
    calmMs,
    told,
  });
  const nemeses = [links, databases, processes];
  for (const nemesis of nemeses) nemesis.start();
  const timeUp = new AbortController();
  const time = delay(options.minutes * 60_000, undefined, { signal: timeUp.signal }).catch(() => {});
  try {
    await Promise.race([time, links.ended(), Promise.all([databases.ended(), processes.ended()])]);
  } finally {
    timeUp.abort();
    await Promise.all(nemeses.map((nemesis) => nemesis.stop()));
  }
  await cluster.upstream.clearFaults();
  await cluster.postgres.whenReady();
  for (const gateway of cluster.gateways) await gateway.whenReady();
  return { faults, rollingRestarts, failovers };
}

/** Waits for a quiet end as long as messages keep leaving the queue in time, and collects the evidence. */
async function settle(
  options: ChaosOptions,
  cluster: Cluster,
  print: (line: string) => void,
): Promise<Omit<Evidence, 'records' | 'rollingRestarts' | 'failovers'>> {
  const { gateways, postgres, upstream } = cluster;
  const nextDeadline = () => performance.now() + options.settleSeconds * 1000;
  let deadline = nextDeadline();
  let queue: QueuedMessage[] = await listQueuedMessages(postgres.db);
  // A brief run does not wait for holds; they are judged by their bound.
  const isEmptyEnough = () => queue.every((row) => options.brief && row.holdUntilMs !== null);
  while (!isEmptyEnough() && performance.now() < deadline) {
    const held = queue.filter((row) => row.holdUntilMs !== null).length;
    print(`  ${queue.length} in the queue, ${held} of them for an unknown outcome`);
    await delay(SETTLE_LOOK_MS);
    const before = queue.length;
    queue = await listQueuedMessages(postgres.db);
    // A pair whose burst is used up sends one message every six seconds, which is slow but not stuck.
    if (queue.length < before) deadline = nextDeadline();
  }
  // A held message may end from here on, so the queue was read before the messages, and the messages before the sends.
  const endedAtMs = Date.now();
  const isQuiet = await upstream.isQuietWithin(Math.max(1_000, deadline - performance.now()));
  const messages = await listStoredMessages(postgres.db);
  await upstream.collect();
  return {
    sends: upstream.sends,
    violations: await upstream.listViolations(),
    messages,
    queue,
    endedAtMs,
    isQuiet,
    resentIds: await readResentIds(gateways),
  };
}
