import type { Random } from '../src/core/seeded-random.ts';
import type { MarketingMessages } from '../src/organizations/index.ts';
import type { Coverage } from './coverage.ts';
import { type EventLoop, recur } from './event-loop.ts';
import type { MarketingRules } from './marketing-rules.ts';
import type { ModelStore } from './store/model-store.ts';
import { templateKey, type WabaRow } from './store/tables.ts';
import type { Trace } from './trace.ts';

export interface MarketingChangesOptions {
  loop: EventLoop;
  random: Random;
  coverage: Coverage;
  trace: Trace;
  store: ModelStore;
  marketing: MarketingRules;
  /** Commits a statement. */
  commit: (name: string, values: unknown[]) => void;
  isOver: () => boolean;
  everyMs: number;
}

const SETTINGS: readonly MarketingMessages[] = ['auto', 'auto', 'on', 'off'];
/** Longest delay between a change at the platform and its report, ms. */
const TOLD_MS_MAX = 3_000;

/** Changes that decide where marketing templates go: settings, admissions, refusals of the ordinary edge, and categories. */
export class MarketingChanges {
  readonly #options: MarketingChangesOptions;

  constructor(options: MarketingChangesOptions) {
    this.#options = options;
    recur(options, options.everyMs, () => this.#change());
  }

  #change(): void {
    const { random, store, trace, marketing, commit } = this.#options;
    const wabas = [...store.tables.wabas.values()];
    if (wabas.length === 0) return;
    const waba = random.pick(wabas);
    const { organizationId, wabaId } = waba;
    random.pick([
      () => this.#moveCategory(waba),
      () => this.#moveCategory(waba),
      () => this.#changeOnboarding(waba),
      () => {
        trace.note(`the platform changes what ${wabaId} may send to messages`);
        marketing.toggleForbidding(wabaId);
      },
      () => commit('admin_change_organization', [organizationId, this.#setting('organization')]),
      () => commit('admin_change_waba', [wabaId, { marketingMessages: this.#setting('account') }, () => ({})]),
    ])();
  }

  #setting(of: string): MarketingMessages {
    const setting = this.#options.random.pick(SETTINGS);
    this.#options.coverage.hit('setting of marketing messages changed');
    this.#options.trace.note(`marketing setting of an ${of} becomes ${setting}`);
    return setting;
  }

  #moveCategory({ organizationId, wabaId }: WabaRow): void {
    const { random, coverage, trace, marketing, commit } = this.#options;
    const name = random.pick(['utility', 'marketing']);
    const category = marketing.categoryOf(wabaId, name) === 'MARKETING' ? 'UTILITY' : 'MARKETING';
    coverage.hit('category of a template moved');
    trace.note(`the template ${name} of ${wabaId} becomes ${category}`);
    marketing.setCategory(wabaId, name, category);
    this.#tell(() => {
      const now = marketing.categoryOf(wabaId, name);
      commit('told_category', [templateKey(organizationId, wabaId, name), now]);
    });
  }

  #changeOnboarding({ wabaId }: WabaRow): void {
    const { coverage, trace, marketing, commit } = this.#options;
    const isOnboarded = !marketing.isOnboarded(wabaId);
    coverage.hit('admission of an account changed');
    trace.note(`${wabaId} ${isOnboarded ? 'may use' : 'may no longer use'} the marketing edge`);
    marketing.setOnboarded(wabaId, isOnboarded);
    this.#tell(() => {
      const change = { isOnboarded: marketing.isOnboarded(wabaId), marketingForbidden: false };
      commit('admin_change_waba', [wabaId, change, () => ({})]);
    });
  }

  #tell(report: () => void): void {
    this.#options.loop.in(this.#options.random.next() * TOLD_MS_MAX, report);
  }
}
