import { type Accounts, numberNotFound } from '../../accounts/index.ts';
import { AppError } from '../../core/errors.ts';
import { createBoundedCache } from '../../core/limits/bounded-cache.ts';
import { mapNow, type Now } from '../../core/now.ts';
import type { Clock } from '../../core/time/clock.ts';
import { loadTogether } from '../../database/batching/load-together.ts';
import type { Changes } from '../../database/changes/change-feed.ts';
import type { Database } from '../../database/database.ts';
import type { Upstream } from '../../upstream/index.ts';
import { listVersions, storeTemplates, templateKey } from '../queries.ts';
import type { TemplateVersion } from './template-choice.ts';
import { AGAIN_MS, WabaLookups } from './waba-lookups.ts';

export interface Templates {
  /**
   * Returns every language version known under a name on the WABA. An unknown name, or an unknown `language` of it, is looked up once
   * upstream (api-rules#template-choice), within a budget. So a template made elsewhere works at its first use. Raises UNAVAILABLE when the
   * upstream cannot answer now, and ACCOUNT_NOT_FOUND when the WABA has been disconnected since its number was found.
   */
  findVersions(
    organizationId: string,
    wabaId: string,
    name: string,
    language?: string,
  ): TemplateVersion[] | Promise<TemplateVersion[]>;
  /** Returns a stored language version; undefined if there is none. The platform is not asked. */
  findStored(organizationId: string, wabaId: string, name: string, language: string): Now<TemplateVersion | undefined>;
}

export interface TemplatesDeps {
  db: Database;
  changes: Changes;
  clock: Clock;
  accounts: Accounts;
  upstream: Upstream;
}

const NAMES_MAX = 50_000;
/** The upstream's limit. A longer name matches no template, and caching such names would fill the memory. */
const NAME_CHARS_MAX = 512;

export function createTemplates(deps: TemplatesDeps): Templates {
  const { db, changes, clock } = deps;
  const lookups = new WabaLookups<void>();
  const versions = createBoundedCache<string, TemplateVersion[] | undefined>({
    max: NAMES_MAX,
    load: loadTogether((keys) => listVersions(db, keys)),
  });
  changes.on('template', versions.invalidate, versions.clear);

  /** Reads the templates with this name upstream and stores them. */
  const learn = async (organizationId: string, wabaId: string, name: string): Promise<void> => {
    const readAtMs = clock.now();
    const { token } = await deps.accounts.tokenOfNumber({ organizationId, wabaId });
    const found = await deps.upstream.findTemplatesByName(wabaId, token, name);
    if (found.kind !== 'ok' && found.kind !== 'rejected') {
      const message = `The upstream platform cannot tell now whether there is a template "${name}". Try again.`;
      throw new AppError('UNAVAILABLE', message, { retryAfterSeconds: AGAIN_MS / 1000 });
    }
    if (found.kind === 'rejected' || found.value.length === 0) return;
    await db
      .transaction((tx) => storeTemplates(tx, { organizationId, wabaId }, found.value, readAtMs))
      .catch(disconnectedSince);
    versions.invalidate(templateKey(organizationId, wabaId, name));
  };

  return {
    findStored(organizationId, wabaId, name, language) {
      if (name.length > NAME_CHARS_MAX) return undefined;
      return mapNow(versions.get(templateKey(organizationId, wabaId, name)), (known) =>
        known?.find((version) => version.language === language),
      );
    },
    findVersions(organizationId, wabaId, name, language) {
      if (name.length > NAME_CHARS_MAX) return [];
      const key = templateKey(organizationId, wabaId, name);
      const known = versions.get(key);
      if (known !== undefined && !(known instanceof Promise) && hasVersion(known, language)) return known;
      return (async () => {
        const stored = (await known) ?? [];
        if (hasVersion(stored, language)) return stored;
        const waba = `${organizationId}/${wabaId}`;
        await lookups.find(waba, name, clock.monotonicMs(), () => learn(organizationId, wabaId, name));
        // Read the stored versions, because a version that the lookup found may have been deleted since.
        return (await versions.get(key)) ?? [];
      })();
    },
  };
}

function hasVersion(versions: readonly TemplateVersion[], language: string | undefined): boolean {
  return versions.some((version) => language === undefined || version.language === language);
}

/** Replaces NOT_FOUND: the WABA was disconnected during the lookup, so for the sender its number does not exist. */
function disconnectedSince(error: unknown): never {
  throw error instanceof AppError && error.code === 'NOT_FOUND' ? numberNotFound() : error;
}
