import { digitsOf } from '../../core/phone-number.ts';
import type { JsonObject } from '../graph/json-object.ts';
import { contactOf, personNamed, phoneMember, recordExchange, userIdMembers, visibleWaId } from '../people/identity.ts';
import { announceNow, type Platform } from '../platform.ts';
import { metadataOf } from '../webhooks/status-webhooks.ts';

export interface CallSeed {
  phoneNumberId: string;
  /** The user's number, digits or with `+`, or a user id. */
  user: string;
  /** The side that calls; default the user. */
  by?: 'user' | 'business';
  /** True if the other side takes the call; default false. */
  isAnswered?: boolean;
  /** Start of the call, milliseconds since the epoch; default now. */
  at?: number;
}

/**
 * Plays a call and posts its webhooks in order: a user's call connects and ends, a call of the business rings, is accepted or rejected, and
 * ends. A user's call opens the service window, answered or not; a call of the business only if the user takes it. Resolves with the call's
 * id once every webhook was answered 200 or given up.
 */
export async function playCall(platform: Platform, seed: CallSeed): Promise<string> {
  const number = platform.world.getNumber(seed.phoneNumberId);
  const person = personNamed(platform, seed.user);
  const ours = digitsOf(number.displayPhoneNumber);
  const at = seed.at ?? platform.clock.now();
  const isOfUser = (seed.by ?? 'user') === 'user';
  const isAnswered = seed.isAnswered === true;
  const id = `wacid.${platform.ids.opaque(18)}`;
  const timestamp = String(Math.floor(at / 1000));
  const direction = isOfUser ? 'USER_INITIATED' : 'BUSINESS_INITIATED';
  const waId = visibleWaId(platform, number, person);
  recordExchange(platform, number, person, { atMs: at, showsPhone: waId !== null });
  const call = {
    id,
    ...(isOfUser
      ? { ...phoneMember(platform, 'from', waId), to: ours }
      : { from: ours, ...phoneMember(platform, 'to', waId) }),
    ...userIdMembers(platform, number, person, isOfUser ? 'from_' : 'to_'),
    direction,
    timestamp,
  };
  const session = { sdp_type: isOfUser ? 'offer' : 'answer', sdp: 'v=0' };
  if (isOfUser || isAnswered) platform.conversations.recordInbound(number.id, person.key, at);

  const contacts = [contactOf(platform, number, person, waId)];
  const status = (word: string) => ({
    statuses: [
      {
        id,
        timestamp,
        type: 'call',
        status: word,
        ...phoneMember(platform, 'recipient_id', waId),
        ...userIdMembers(platform, number, person, 'recipient_'),
      },
    ],
  });
  const ended = { ...call, event: 'terminate', status: isAnswered ? 'COMPLETED' : 'FAILED' };
  const steps: JsonObject[] = [
    { contacts, calls: [{ ...call, event: 'connect', session }] },
    ...(isOfUser ? [] : [status('RINGING'), status(isAnswered ? 'ACCEPTED' : 'REJECTED')]),
    { contacts, calls: [isAnswered ? { ...ended, start_time: timestamp, end_time: timestamp, duration: 0 } : ended] },
  ];
  for (const step of steps) {
    const value = { messaging_product: 'whatsapp', metadata: metadataOf(number), ...step };
    await announceNow(platform, { wabaId: number.wabaId, field: 'calls', value });
  }
  return id;
}
