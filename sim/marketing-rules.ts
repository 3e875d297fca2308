import type { SendOutcome, SendRoad } from '../src/upstream/index.ts';

/** Names of the templates of every account; each begins in the category of its name. */
export const TEMPLATES = ['authentication', 'utility', 'marketing'];
/** Codes with which the platform refuses a template at an edge. */
export const ROAD_CODES: ReadonlySet<string> = new Set(['131063', '134100', '134102']);

/** The platform's own rules for marketing templates, which the gateways hear of later or never. */
export class MarketingRules {
  readonly #categories = new Map<string, string>();
  readonly #onboarded = new Set<string>();
  readonly #forbidding = new Set<string>();
  /** True once an account has refused marketing templates at `/messages`. */
  hasForbidden = false;

  categoryOf(wabaId: string, template: string): string {
    return this.#categories.get(`${wabaId}/${template}`) ?? template.toUpperCase();
  }

  setCategory(wabaId: string, template: string, category: string): void {
    this.#categories.set(`${wabaId}/${template}`, category);
  }

  isOnboarded(wabaId: string): boolean {
    return this.#onboarded.has(wabaId);
  }

  setOnboarded(wabaId: string, isOnboarded: boolean): void {
    if (isOnboarded) this.#onboarded.add(wabaId);
    else this.#onboarded.delete(wabaId);
  }

  /** Changes if an account refuses marketing templates at `/messages`. */
  toggleForbidding(wabaId: string): void {
    this.hasForbidden = true;
    if (!this.#forbidding.delete(wabaId)) this.#forbidding.add(wabaId);
  }

  /** Returns the refusal of a body at an edge; undefined if it may be posted there. */
  refusalOf(wabaId: string, road: SendRoad, template: string | undefined): SendOutcome | undefined {
    const isMarketing = template !== undefined && this.categoryOf(wabaId, template) === 'MARKETING';
    if (road === 'messages') return isMarketing && this.#forbidding.has(wabaId) ? refused('131063') : undefined;
    if (!isMarketing) return refused('134100');
    return this.#onboarded.has(wabaId) ? undefined : refused('134102');
  }
}

function refused(code: string): SendOutcome {
  const words = { error_user_title: 'Wrong edge', error_user_msg: 'Wrong edge' };
  return { kind: 'rejected', code, message: 'Wrong edge', provider: { code: Number(code), ...words } };
}
