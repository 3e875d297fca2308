import type { MarketingMessages } from '../../organizations/index.ts';
import type { SendRoad } from '../../upstream/index.ts';

/** Facts about an account that decide the road of its marketing templates. */
export interface AccountUse {
  /** The setting in force. */
  setting: MarketingMessages;
  /** True if the account may use `/marketing_messages`, or may send marketing templates nowhere else. */
  isReady: boolean;
}

/** Facts about a template version that decide its road. */
export interface VersionUse {
  /** The category that the platform has completed last. */
  category: string;
  /** True if the platform has refused it at `/marketing_messages`. */
  isMarketingRefused: boolean;
}

/** The facts of both, with the times of their last changes: epoch ms, null if there was none. */
export interface DatedFacts {
  account: AccountUse & { changedAtMs: number | null };
  /** Undefined if there is no such version any more. */
  version: (VersionUse & { changedAtMs: number | null }) | undefined;
}

/** A change may reach a node this late, and clocks differ. */
const LATE_MS = 60_000;
/** Refusal at `/messages`: the account takes no marketing templates there. */
export const FORBIDDEN_CODE = '131063';
/** Refusals at `/marketing_messages`: the template is no marketing template, or the template or its account may not be used there. */
export const REFUSED_CODES: ReadonlySet<string> = new Set(['131055', '134100', '134102']);

/** Returns true if marketing templates of the account go to `/marketing_messages`. */
export function usesMarketing({ setting, isReady }: AccountUse): boolean {
  return setting === 'on' || (setting === 'auto' && isReady);
}

/**
 * Returns the road of a template. `isStrict`: the body forbids the platform to deliver it in another way than by `/marketing_messages`, so an
 * earlier refusal there is no reason for `/messages`.
 */
export function roadOf(account: AccountUse, version: VersionUse | undefined, isStrict: boolean): SendRoad {
  if (!usesMarketing(account) || version?.category !== 'MARKETING') return 'messages';
  const isRefused = version.isMarketingRefused && account.setting !== 'on' && !isStrict;
  return isRefused ? 'messages' : 'marketing_messages';
}

/**
 * Returns the road of an attempt at `attemptedAtMs` and of the next one, by the facts of now. Returns `uncertain` if a fact that counts has
 * changed since, or is so young that the attempt's node may not have known it: then the two may differ.
 */
export function roadSince(
  { account, version }: DatedFacts,
  attemptedAtMs: number,
  isStrict: boolean,
): SendRoad | 'uncertain' {
  const isOld = (changedAtMs: number | null) => changedAtMs === null || changedAtMs <= attemptedAtMs - LATE_MS;
  const isAccountOld = isOld(account.changedAtMs);
  const isVersionOld = version !== undefined && isOld(version.changedAtMs);
  if (isAccountOld && !usesMarketing(account)) return 'messages';
  if (isVersionOld && version.category !== 'MARKETING') return 'messages';
  return isAccountOld && isVersionOld ? roadOf(account, version, isStrict) : 'uncertain';
}
