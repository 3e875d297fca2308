import type { AddressInfo } from 'node:net';
import type { AdmittedRequests } from '../../../admission/index.ts';
import { RequestsGatherer } from '../../../admission/index.ts';
import { createApp } from '../../../app.ts';
import type { Team } from '../../../app-options.ts';
import { SteadyClock } from '../../../core/time/steady-clock.ts';
import { CONNECTIONS_MAX } from '../../../http/index.ts';
import { type MetricSet, renderMerged } from '../../../telemetry/index.ts';
import { openLog } from '../open-log.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import { closeBeyondMax } from './close-beyond.ts';
import { Questions, type ToSupervisor, type ToWorker, type WorkerSettings } from './messages.ts';

/** Longest wait for the supervisor, which itself waits a second for the other workers. */
const ANSWER_MS = 3_000;
/** Time in which a client may use up its rate at each worker before they know of each other. */
const ADMITTED_MS = 100;

/**
 * Runs a gateway as one of several workers until a signal or the supervisor stops it. Ends the process. If the supervisor ends first,
 * `node:cluster` ends the process at once: without this, the worker would keep its leases and connections beside a restarted installation.
 */
export async function runWorker(signal: AbortSignal): Promise<void> {
  const supervisor = followSupervisor();
  const { worker, host, port, logLevel, gateway } = await supervisor.settings;
  const log = openLog(logLevel, { worker });
  const stop = AbortSignal.any([signal, supervisor.stop]);
  try {
    await runUntilStopped({ stop, log }, async ({ onUnfit, closers }) => {
      const { team } = supervisor;
      const app = await createApp({ ...gateway, team, onUnfit, log, clock: new SteadyClock(), random: Math.random });
      app.metrics.includeProcess();
      supervisor.readMetrics(() => app.metrics.read());
      closers.push(() => app.stop());
      closeBeyondMax(app.http.server);
      await app.start(stop);
      await app.http.listen({ host, port, backlog: CONNECTIONS_MAX });
      report({ kind: 'ready', address: app.http.server.address() as AddressInfo });
      return '';
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await new Promise((sent) => process.send?.({ kind: 'unfit', message } satisfies ToSupervisor, sent));
    process.exit(1);
  }
  process.exit(0);
}

/** Reads the supervisor's messages, and returns what a worker needs of it. */
function followSupervisor() {
  const settings = Promise.withResolvers<WorkerSettings>();
  const stop = new AbortController();
  const questions = new Questions<string | boolean>();
  let read: (() => Promise<MetricSet>) | undefined;
  let count: ((requests: readonly AdmittedRequests[]) => void) | undefined;
  process.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'settings':
        return settings.resolve(message.settings);
      case 'stop':
        return stop.abort();
      case 'admitted':
        return count?.(message.requests);
      case 'read_metrics':
        return void read?.().then((own) => report({ kind: 'metrics', id: message.id, own }));
      case 'answer':
        return questions.answered(message.id, message.value);
    }
  });
  const admitted = new RequestsGatherer((requests) => report({ kind: 'admitted', requests }), ADMITTED_MS);
  const team: Team = {
    async gatherMetrics(own) {
      const text = await questions.ask((id) => report({ kind: 'gather_metrics', id, own }), ANSWER_MS);
      return typeof text === 'string' ? text : await renderMerged([own]);
    },
    async redeemLink(code) {
      return (await questions.ask((id) => report({ kind: 'redeem_link', id, code }), ANSWER_MS)) === true;
    },
    requests: {
      admitted: (party, intervalMs) => admitted.add(party, intervalMs),
      follow(counts) {
        count = counts;
      },
    },
  };
  return {
    settings: settings.promise,
    stop: stop.signal,
    team,
    /** Sets the function that reads the metrics of this process. */
    readMetrics(reads: () => Promise<MetricSet>) {
      read = reads;
    },
  };
}

/** Sends a message. The process is about to end if the channel is closed, so a failure is not reported. */
function report(message: ToSupervisor): void {
  process.send?.(message, undefined, undefined, () => {});
}
