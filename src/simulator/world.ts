import { createHash } from 'node:crypto';
import { GraphError, unknownObject } from './graph/graph-errors.ts';
import type { NumberSeed, PhoneNumber, Template, TemplateSeed, Waba, WabaChange, WabaSeed } from './records.ts';

/** The accounts, numbers, templates and tokens of the simulated platform, and the access rights of the tokens. */
export class World {
  readonly #wabas = new Map<string, Waba>();
  readonly #numbers = new Map<string, PhoneNumber>();
  readonly #templates = new Map<string, Template>();
  /** Names of deleted templates, and the time until which they stay locked. */
  readonly #lockedNames = new Map<string, number>();
  /** By account, then `name\0language`, for the lookup of every template send. */
  readonly #templatesByName = new Map<string, Map<string, Template>>();

  /** Creates an account. Replaces an account with the same id, with all its numbers and templates. */
  addWaba(seed: WabaSeed): Waba {
    this.#removeWaba(seed.id);
    const waba: Waba = {
      id: seed.id,
      name: seed.name ?? `Business ${seed.id}`,
      accessToken: seed.accessToken,
      tokenFacts: {},
      appId: seed.appId ?? null,
      subscribed: seed.subscribed ?? true,
      overrideCallbackUri: null,
      portfolioId: seed.portfolioId ?? seed.id,
      parentPortfolioId: seed.parentPortfolioId ?? null,
      hasContactBook: seed.hasContactBook ?? true,
      attributes: seed.attributes ?? {},
    };
    this.#wabas.set(waba.id, waba);
    this.#templatesByName.set(waba.id, new Map());
    for (const number of seed.numbers ?? []) this.addNumber(waba.id, number);
    for (const template of seed.templates ?? []) this.addTemplate(waba.id, template);
    return waba;
  }

  updateWaba(id: string, { attributes, ...change }: WabaChange): Waba {
    const waba = this.getWaba(id);
    return Object.assign(waba, change, { attributes: { ...waba.attributes, ...attributes } });
  }

  addNumber(wabaId: string, seed: NumberSeed): PhoneNumber {
    const waba = this.getWaba(wabaId);
    const number: PhoneNumber = {
      id: seed.id,
      wabaId,
      displayPhoneNumber: seed.displayPhoneNumber,
      verifiedName: seed.verifiedName ?? waba.name,
      status: seed.status ?? 'CONNECTED',
      platformType: seed.platformType ?? 'CLOUD_API',
      qualityRating: seed.qualityRating ?? 'GREEN',
      throughputLevel: seed.throughputLevel ?? 'STANDARD',
      isOnBizApp: seed.isOnBizApp ?? false,
      messagesPerSecond: seed.messagesPerSecond ?? null,
      countryDialCode: seed.countryDialCode ?? null,
      overrideCallbackUri: seed.overrideCallbackUri ?? null,
      allowedRecipients: seed.allowedRecipients ?? null,
      attributes: seed.attributes ?? {},
    };
    this.#numbers.set(number.id, number);
    return number;
  }

  /**
   * Stores a template unchanged, without the checks and the review of the create call.
   * A missing id is derived from account, name and language, so that a gateway sees the same world after it is seeded again.
   */
  addTemplate(wabaId: string, seed: TemplateSeed): Template {
    this.getWaba(wabaId);
    const template: Template = {
      id: seed.id ?? seededTemplateId(wabaId, seed),
      wabaId,
      name: seed.name,
      language: seed.language,
      category: (seed.category ?? 'UTILITY').toUpperCase(),
      status: seed.status ?? 'APPROVED',
      components: seed.components ?? [{ type: 'BODY', text: 'Hello from the simulator.' }],
      parameterFormat: seed.parameterFormat ?? 'POSITIONAL',
      qualityScore: seed.qualityScore ?? 'UNKNOWN',
      qualityScoreAt: seed.qualityScoreAt ?? 1_750_000_000,
      rejectedReason: 'NONE',
      attributes: seed.attributes ?? {},
    };
    this.#templates.set(template.id, template);
    this.#templatesByName.get(wabaId)?.set(`${template.name}\0${template.language}`, template);
    return template;
  }

  /** Deletes a template; its name and language stay locked until `lockedUntil` (milliseconds since the epoch). */
  removeTemplate(template: Template, lockedUntil: number): void {
    this.#templates.delete(template.id);
    this.#templatesByName.get(template.wabaId)?.delete(`${template.name}\0${template.language}`);
    this.#lockedNames.set(`${template.wabaId}\0${template.name}\0${template.language}`, lockedUntil);
  }

  isNameLocked(wabaId: string, name: string, language: string, nowMs: number): boolean {
    return nowMs < (this.#lockedNames.get(`${wabaId}\0${name}\0${language}`) ?? 0);
  }

  findWaba(id: string): Waba | undefined {
    return this.#wabas.get(id);
  }

  findNumber(id: string): PhoneNumber | undefined {
    return this.#numbers.get(id);
  }

  findTemplate(id: string): Template | undefined {
    return this.#templates.get(id);
  }

  findTemplateByName(wabaId: string, name: string, language: string): Template | undefined {
    return this.#templatesByName.get(wabaId)?.get(`${name}\0${language}`);
  }

  /** Returns the account for control functions; raises an ordinary error if it does not exist. */
  getWaba(id: string): Waba {
    const waba = this.#wabas.get(id);
    if (waba === undefined) throw new Error(`The simulator has no account ${id}.`);
    return waba;
  }

  getNumber(id: string): PhoneNumber {
    const number = this.#numbers.get(id);
    if (number === undefined) throw new Error(`The simulator has no number ${id}.`);
    return number;
  }

  getTemplate(id: string): Template {
    const template = this.#templates.get(id);
    if (template === undefined) throw new Error(`The simulator has no template ${id}.`);
    return template;
  }

  listWabas(): Waba[] {
    return [...this.#wabas.values()];
  }

  listNumbers(wabaId: string): PhoneNumber[] {
    return [...this.#numbers.values()].filter((number) => number.wabaId === wabaId);
  }

  /** Returns the templates in order of creation. */
  listTemplates(wabaId: string): Template[] {
    return [...(this.#templatesByName.get(wabaId)?.values() ?? [])];
  }

  /** Returns true if an account has this token. */
  isToken(token: string): boolean {
    return this.listWabas().some((waba) => waba.accessToken === token);
  }

  /** Returns the account if `token` may access it; else raises the platform's error for an invisible object. */
  visibleWaba(id: string, token: string, method?: string): Waba {
    const waba = this.#wabas.get(id);
    if (waba === undefined || waba.accessToken !== token) throw this.#refusal(id, token, method);
    return waba;
  }

  /** Returns the number if `token` may access its account; else raises the platform's error for an invisible object. */
  visibleNumber(id: string, token: string, method?: string): PhoneNumber {
    const number = this.#numbers.get(id);
    if (number === undefined || this.#wabas.get(number.wabaId)?.accessToken !== token) {
      throw this.#refusal(id, token, method);
    }
    return number;
  }

  /** Returns the template if `token` may access its account; else raises the platform's error for an invisible object. */
  visibleTemplate(id: string, token: string, method?: string): Template {
    const template = this.#templates.get(id);
    if (template === undefined || this.#wabas.get(template.wabaId)?.accessToken !== token) {
      throw this.#refusal(id, token, method);
    }
    return template;
  }

  /** Removes an account with its numbers, its templates and the locks of their names. */
  forgetWaba(id: string): void {
    this.#removeWaba(id);
    for (const key of this.#lockedNames.keys()) if (key.startsWith(`${id}\0`)) this.#lockedNames.delete(key);
  }

  clear(): void {
    this.#wabas.clear();
    this.#numbers.clear();
    this.#templates.clear();
    this.#templatesByName.clear();
    this.#lockedNames.clear();
  }

  #refusal(id: string, token: string, method: string | undefined): GraphError {
    if (token === '') return new GraphError(104);
    return this.isToken(token) ? unknownObject(id, method) : new GraphError(190);
  }

  #removeWaba(id: string): void {
    if (!this.#wabas.delete(id)) return;
    for (const number of this.listNumbers(id)) this.#numbers.delete(number.id);
    for (const template of this.listTemplates(id)) this.#templates.delete(template.id);
    this.#templatesByName.delete(id);
  }
}

/** Returns 15 digits, like the ids of created templates. */
function seededTemplateId(wabaId: string, { name, language }: TemplateSeed): string {
  const digest = createHash('sha256').update(`${wabaId}\0${name}\0${language}`).digest();
  return String(100_000_000_000_000 + (digest.readUIntBE(0, 6) % 800_000_000_000_000));
}
