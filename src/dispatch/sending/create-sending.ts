import type { Logger } from 'pino';
import type { Accounts } from '../../accounts/index.ts';
import type { Wakeup } from '../../core/run/wakeup.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Leases } from '../../leases/index.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import type { Tracing } from '../../telemetry/index.ts';
import type { Templates } from '../../templates/index.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { NumberBook } from '../numbers/number-book.ts';
import { Parking } from '../numbers/parking.ts';
import type { ThrottleBroadcast } from '../numbers/throttle-broadcast.ts';
import type { DispatchMetrics } from '../outcomes/dispatch-metrics.ts';
import type { ResultRecorder } from '../outcomes/result-recorder.ts';
import { Roads } from '../roads/roads.ts';
import type { Scheduler } from '../scheduler/index.ts';
import type { InFlight } from '../unknown-outcomes/in-flight.ts';
import type { StatusGaps } from '../unknown-outcomes/status-gaps.ts';
import type { UnknownOutcomes } from '../unknown-outcomes/unknown-outcomes.ts';
import { Abandoner } from './abandoner.ts';
import type { Bodies } from './bodies.ts';
import { Journal } from './journal.ts';
import { JournalWriter } from './journal-writer.ts';
import { MessagePoster } from './message-poster.ts';
import { OutcomeJudge } from './outcome-judge.ts';
import { Sender } from './sender.ts';
import { type RecipientNames, Settler } from './settle.ts';
import { TokenLookup } from './token-lookup.ts';

/** Parts of the dispatcher that the parts of this folder are made from. */
export interface SendingParts {
  db: Database;
  clock: Clock;
  log: Logger;
  random: () => number;
  nodeId: string;
  accounts: Pick<Accounts, 'tokenOf'>;
  bodies: Pick<Bodies, 'has' | 'take' | 'takesLarge'>;
  book: Pick<NumberBook, 'chargeHeldUp' | 'countPost' | 'find' | 'findGate' | 'listAccount' | 'notePace' | 'refresh'>;
  gaps: Pick<StatusGaps, 'isPlatformAway' | 'notePlatform'>;
  inFlight: InFlight;
  learnNames: (names: RecipientNames) => void;
  leases: Pick<Leases, 'epochOf' | 'holds' | 'isCurrent'>;
  metrics: DispatchMetrics;
  recorder: Pick<ResultRecorder, 'complete' | 'finishJournal' | 'hasEnded' | 'note' | 'postpone'>;
  scheduler: Scheduler;
  settings: OrganizationSettings;
  templates: Pick<Templates, 'findStored'>;
  throttles: Pick<ThrottleBroadcast, 'send'>;
  tracing: Tracing;
  unknown: Pick<UnknownOutcomes, 'add' | 'attemptedAtMs' | 'endHere' | 'findReported'>;
  upstream: Pick<Upstream, 'platformClock' | 'sendMessage'>;
  wakeup: Pick<Wakeup, 'wake'>;
}

/** Links the way of a message, from the last part to the first: settler, sender, journal. */
export function createSending(parts: SendingParts): { journal: Journal; abandoner: Abandoner } {
  const { platformClock } = parts.upstream;
  const parking = new Parking(parts);
  const settler = new Settler({ ...parts, parking });
  const sender = new Sender({
    ...parts,
    settler,
    tokens: new TokenLookup({ ...parts, parking }),
    poster: new MessagePoster(parts),
    roads: new Roads(parts),
    judge: new OutcomeJudge({ ...parts, platformClock, parking }),
  });
  const journal = new Journal({ ...parts, platformClock, writer: new JournalWriter(parts), sender, settler });
  return { journal, abandoner: new Abandoner({ ...parts, settler }) };
}
