import { Parking, type ParkingDeps } from '../numbers/parking.ts';
import { Roads, type RoadsDeps } from '../roads/roads.ts';
import { Abandoner, type AbandonerDeps } from './abandoner.ts';
import { Journal, type JournalDeps } from './journal.ts';
import { JournalWriter, type JournalWriterDeps } from './journal-writer.ts';
import { MessagePoster, type MessagePosterDeps } from './message-poster.ts';
import { OutcomeJudge, type OutcomeJudgeDeps } from './outcome-judge.ts';
import { Sender, type SenderDeps } from './sender.ts';
import { Settler, type SettlerDeps } from './settle.ts';
import { TokenLookup, type TokenLookupDeps } from './token-lookup.ts';

type Deps = AbandonerDeps &
  JournalDeps &
  JournalWriterDeps &
  MessagePosterDeps &
  OutcomeJudgeDeps &
  ParkingDeps &
  RoadsDeps &
  SenderDeps &
  SettlerDeps &
  TokenLookupDeps;

/** Parts of the dispatcher that the parts of this folder are made from. */
export type SendingParts = Omit<
  Deps,
  'judge' | 'parking' | 'poster' | 'roads' | 'sender' | 'settler' | 'tokens' | 'writer'
>;

/** Links the way of a message, from the last part to the first: settler, sender, journal. */
export function createSending(parts: SendingParts): { journal: Journal; abandoner: Abandoner } {
  const parking = new Parking(parts);
  const settler = new Settler({ ...parts, parking });
  const sender = new Sender({
    ...parts,
    settler,
    tokens: new TokenLookup({ ...parts, parking }),
    poster: new MessagePoster(parts),
    roads: new Roads(parts),
    judge: new OutcomeJudge({ ...parts, parking }),
  });
  const journal = new Journal({ ...parts, writer: new JournalWriter(parts), sender, settler });
  return { journal, abandoner: new Abandoner({ ...parts, settler }) };
}
