import type { Random } from '../src/core/seeded-random.ts';
import type { MarketingMessages } from '../src/organizations/index.ts';

/** Behaviour of the database: times in ms, other values are probabilities per statement. */
export interface DatabaseWeather {
  latencyMsMax: number;
  workMsMax: number;
  slowMsMax: number;
  slow: number;
  refused: number;
  cancelled: number;
  lostBefore: number;
  answerLost: number;
  late: number;
}

/** Behaviour of the platform: times in ms, other values are probabilities per request or per webhook. */
export interface PlatformWeather {
  answerMsMax: number;
  slowMsMax: number;
  slow: number;
  unreachable: number;
  requestLost: number;
  answerLost: number;
  unavailable: number;
  rejected: number;
  throttled: number;
  statusMsMax: number;
  statusEarly: number;
  statusLate: number;
  statusLateMsMax: number;
  statusLost: number;
  statusTwice: number;
  deliveryFails: number;
  gatherMsMax: number;
  inboundEveryMs: number;
}

/** Mean time between two disasters of one kind, ms; infinite for never. */
export interface Disasters {
  killEveryMs: number;
  stopEveryMs: number;
  pauseEveryMs: number;
  pauseMsMax: number;
  stallEveryMs: number;
  stallMsMax: number;
  crashEveryMs: number;
  crashMsMax: number;
}

/** The clients' traffic. */
export interface Traffic {
  organizations: number;
  numbers: number;
  recipientsPerNumber: number;
  /** Share of people with user ids. */
  userIds: number;
  /** Mean time between two changes of people's names, ms. */
  namesEveryMs: number;
  /** API keys of every organization: messages with different keys take turns. */
  apiKeys: number;
  messagesPerSecond: number;
  messagesPerSender: number;
  thinkMsMax: number;
  keyed: number;
  sync: number;
  twiceAtOnce: number;
  callbackData: number;
  failPolicy: number;
  messageTtlSeconds: number;
  monthlyMessageLimit: number | null;
  /** Settings that organizations begin with. */
  marketingMessages: readonly MarketingMessages[];
  /** Share of accounts that may use `/marketing_messages` from the beginning. */
  onboarded: number;
  /** Share of marketing templates that clients post to `/marketing_messages`. */
  explicitMarketing: number;
}

/** Mean time between two operations of one kind on numbers and accounts, ms; infinite for never. */
export interface Operations {
  /** An operator pauses a number. */
  pauseEveryMs: number;
  /** An operator changes a number's pace. */
  paceEveryMs: number;
  /** The platform changes the limit of a number. */
  levelEveryMs: number;
  /** The platform refuses a token, an account or a number. */
  troubleEveryMs: number;
  /** A setting, an admission or a category changes, which decides where marketing templates go. */
  marketingEveryMs: number;
  /** Time at which one of the business accounts is disconnected, ms. */
  disconnectAtMs: number;
}

export interface Weather {
  nodes: number;
  wallOffsetMsMax: number;
  timerLateMs: number;
  /** Longest delay of a change broadcast to a gateway, ms: far beyond the normal delay, as after a silent loss of its connection. */
  toldMsMax: number;
  database: DatabaseWeather;
  platform: PlatformWeather;
  disasters: Disasters;
  traffic: Traffic;
  operations: Operations;
}

/**
 * Draws the conditions of a run. Each kind of fault is possible in about a quarter of the runs, and then frequent: runs in which a few
 * faults meet often find more than runs in which everything fails a little.
 */
export function drawWeather(random: Random, people: boolean): Weather {
  const sometimes = (value: number, active = 0.25) => (random.chance(active) ? value : 0);
  const every = (meanMs: number, active = 0.25) => (random.chance(active) ? meanMs : Number.POSITIVE_INFINITY);
  const isRough = random.chance(0.9);
  const quiet = (value: number) => (isRough ? value : 0);
  const nodes = random.pick([1, 2, 2, 3]);
  const isBurst = random.chance(0.08);
  const isCrowd = !isBurst && random.chance(0.08);
  const userIds = people ? random.pick([0, 0.5, 1]) : 0;
  return {
    nodes,
    wallOffsetMsMax: random.pick([0, 0, 20, 1_000]),
    timerLateMs: random.pick([0.5, 2, 20]),
    toldMsMax: random.pick([1_000, 12_000]),
    database: {
      latencyMsMax: random.pick([0.5, 2, 10]),
      workMsMax: random.pick([1, 5, 30]),
      slowMsMax: random.pick([200, 2_000, 6_000]),
      slow: quiet(sometimes(0.01)),
      refused: quiet(sometimes(0.02)),
      cancelled: quiet(sometimes(0.02)),
      lostBefore: quiet(sometimes(0.02)),
      answerLost: quiet(sometimes(0.02)),
      late: quiet(sometimes(0.02)),
    },
    platform: {
      answerMsMax: random.pick([50, 400]),
      slowMsMax: 25_000,
      slow: quiet(sometimes(0.05)),
      unreachable: quiet(sometimes(0.1)),
      requestLost: quiet(sometimes(0.1)),
      answerLost: quiet(sometimes(0.15)),
      unavailable: quiet(sometimes(0.15)),
      rejected: sometimes(0.1),
      throttled: quiet(sometimes(0.1)),
      statusMsMax: random.pick([200, 2_000]),
      statusEarly: sometimes(0.3),
      statusLate: quiet(sometimes(0.2)),
      statusLateMsMax: 40_000,
      statusLost: quiet(sometimes(0.3)),
      statusTwice: sometimes(0.3),
      deliveryFails: quiet(sometimes(0.1)),
      gatherMsMax: random.pick([0, 20, 500]),
      inboundEveryMs: every(4_000, 0.3),
    },
    disasters: {
      killEveryMs: isRough ? every(5_000) : Number.POSITIVE_INFINITY,
      stopEveryMs: isRough ? every(6_000) : Number.POSITIVE_INFINITY,
      pauseEveryMs: isRough ? every(5_000) : Number.POSITIVE_INFINITY,
      pauseMsMax: random.pick([1_000, 9_000]),
      stallEveryMs: isRough ? every(5_000) : Number.POSITIVE_INFINITY,
      stallMsMax: random.pick([1_000, 9_000]),
      crashEveryMs: isRough ? every(6_000) : Number.POSITIVE_INFINITY,
      crashMsMax: random.pick([500, 6_000]),
    },
    traffic: {
      organizations: random.pick([1, 2]),
      numbers: isBurst || isCrowd ? 1 : random.pick([1, 2, 3]),
      recipientsPerNumber: isBurst ? 1 : isCrowd ? 30 : random.between(1, 5),
      userIds,
      namesEveryMs: userIds > 0 ? every(random.pick([500, 2_000]), 0.7) : Number.POSITIVE_INFINITY,
      apiKeys: isCrowd ? 10 : random.pick([1, 2]),
      messagesPerSecond: random.pick(isCrowd ? [5] : [5, 20, 80]),
      messagesPerSender: isBurst ? 60 : isCrowd ? 3 : random.between(3, 12),
      thinkMsMax: isBurst || isCrowd ? 100 : random.pick([100, 1_000, 3_000]),
      keyed: random.pick([0, 0.5, 1]),
      sync: random.pick([0, 0.2, 0.6]),
      twiceAtOnce: sometimes(0.3),
      callbackData: random.pick([0, 1]),
      failPolicy: random.pick([0, 0, 0.5]),
      messageTtlSeconds: random.pick([86_400, 86_400, 86_400, 20]),
      monthlyMessageLimit: random.chance(0.15) ? random.between(5, 20) : null,
      marketingMessages: random.pick([['auto'], ['auto'], ['auto', 'on', 'off']] as const),
      onboarded: random.pick([0, 0.5, 1]),
      explicitMarketing: random.pick([0, 0.2]),
    },
    operations: {
      pauseEveryMs: every(5_000, 0.3),
      paceEveryMs: every(3_000, isRough ? 0.15 : 0.4),
      levelEveryMs: every(3_000, isRough ? 0.15 : 0.4),
      troubleEveryMs: every(3_000, isRough ? 0.15 : 0.8),
      marketingEveryMs: every(random.pick([500, 2_000]), 0.4),
      disconnectAtMs: random.chance(0.15) ? random.between(500, 8_000) : Number.POSITIVE_INFINITY,
    },
  };
}

/** Returns true if neither the database nor any process is ever slow or down. */
export function isCalm({ database, disasters }: Weather): boolean {
  const { latencyMsMax: _, workMsMax: __, slowMsMax: ___, ...faults } = database;
  const { pauseMsMax: ____, stallMsMax: _____, crashMsMax: ______, ...meansMs } = disasters;
  return (
    Object.values(faults).every((probability) => probability === 0) &&
    Object.values(meansMs).every((meanMs) => meanMs === Number.POSITIVE_INFINITY)
  );
}

/** Returns true if the platform answers everything soon and refuses nothing for a transient reason. */
export function isPlatformCalm({ platform }: Weather): boolean {
  const { slow, unreachable, requestLost, answerLost, unavailable, throttled } = platform;
  return [slow, unreachable, requestLost, answerLost, unavailable, throttled].every((probability) => probability === 0);
}
