import type { Logger } from 'pino';
import { noteMarketingForbidden, type SendingNumber } from '../../accounts/index.ts';
import { mapNow, type Now } from '../../core/now.ts';
import type { Database } from '../../database/database.ts';
import type { MarketingMessages, OrganizationSettings } from '../../organizations/index.ts';
import { noteMarketingRefused, type Templates } from '../../templates/index.ts';
import type { SendOutcome, SendRoad } from '../../upstream/index.ts';
import type { NumberBook } from '../numbers/number-book.ts';
import type { Reaction } from '../outcomes/outcome-policy.ts';
import type { Dispatch } from '../scheduler/index.ts';
import type { Journaled } from '../sending/journal-queries.ts';
import { FORBIDDEN_CODE, REFUSED_CODES, roadOf, roadSince, usesMarketing } from './road.ts';
import { readRoadFacts } from './road-queries.ts';
import { type TemplateInBody, templateIn } from './template-in-body.ts';

export interface RoadsDeps {
  db: Database;
  log: Logger;
  book: Pick<NumberBook, 'find'>;
  settings: OrganizationSettings;
  templates: Pick<Templates, 'findStored'>;
}

/** `uncertain`: an earlier attempt of unknown outcome may have gone another way. `unanswered`: the facts cannot be read now. */
type Choice = SendRoad | 'uncertain' | 'unanswered';

/** Time in which what a refusal has taught is in force on every node. */
const LEARNED_MS = 1_000;
/** Sends a message again after a definite refusal of its road: nothing of it has been taken. */
const GO_AGAIN = {
  ...{ kind: 'again', waitMs: LEARNED_MS, counted: false, refundPair: true, park: undefined },
} as const satisfies Reaction;

/** Chooses where each message is posted: `/messages`, or `/marketing_messages` (api-rules#marketing-templates). */
export class Roads {
  readonly #deps: RoadsDeps;

  constructor(deps: RoadsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the road of a journaled message. The road of an earlier attempt is not stored: it follows from the facts, unless one of them is
   * newer. Numbers whose account is off are decided without reading the body. Never rejects.
   */
  choose(dispatch: Dispatch, { marketing, attemptedAtMs }: Journaled, body: string): Now<Choice> {
    if (marketing) return 'marketing_messages';
    if (attemptedAtMs !== null) return this.#chooseAgain(dispatch, attemptedAtMs, body);
    const number = this.#deps.book.find(dispatch.numberId);
    if (number === undefined) return 'messages';
    const choosing = mapNow(this.#settingOf(number), (setting) => this.#chooseFirst(number, setting, body));
    return choosing instanceof Promise ? choosing.catch((error) => this.#unanswered(error)) : choosing;
  }

  /** Returns the setting in force for a number. */
  #settingOf({ organizationId, marketingMessages }: SendingNumber): Now<MarketingMessages> {
    return (
      marketingMessages ?? mapNow(this.#deps.settings.get(organizationId), (settings) => settings.marketingMessages)
    );
  }

  #chooseFirst(number: SendingNumber, setting: MarketingMessages, body: string): Now<SendRoad> {
    const { organizationId, wabaId, isMarketingReady } = number;
    const use = { setting, isReady: isMarketingReady };
    const template = usesMarketing(use) ? templateIn(body) : undefined;
    if (template === undefined) return 'messages';
    const version = this.#deps.templates.findStored(organizationId, wabaId, template.name, template.language);
    return mapNow(version, (found) => roadOf(use, found, template.isStrict));
  }

  async #chooseAgain(dispatch: Dispatch, attemptedAtMs: number, body: string): Promise<Choice> {
    const template = templateIn(body);
    if (template === undefined) return 'messages';
    try {
      const facts = await readRoadFacts(this.#deps.db, { ...dispatch, ...template });
      return facts === undefined ? 'uncertain' : roadSince(facts, attemptedAtMs, template.isStrict);
    } catch (error) {
      return this.#unanswered(error);
    }
  }

  #unanswered(error: unknown): 'unanswered' {
    this.#deps.log.warn({ err: error }, 'facts about marketing templates not read; the message waits');
    return 'unanswered';
  }

  /**
   * Learns from a refusal of a road under the setting `auto`. Returns the reaction if the message goes again because its road has changed;
   * undefined if the outcome says nothing about the road, or the refusal stands. A sender's own choice stands. Never rejects.
   */
  async turn(
    dispatch: Dispatch,
    { marketing }: Journaled,
    body: string,
    { road, outcome }: { road: SendRoad; outcome: SendOutcome },
  ): Promise<Reaction | undefined> {
    if (outcome.kind !== 'rejected' || marketing || !isAboutRoad(road, outcome.code)) return undefined;
    const { db, book, log } = this.#deps;
    const number = book.find(dispatch.numberId);
    const template = templateIn(body);
    if (number === undefined || template === undefined) return undefined;
    try {
      if ((await this.#settingOf(number)) !== 'auto' || (road !== 'messages' && template.isStrict)) return undefined;
      await this.#learn(number, template, road);
      const facts = await readRoadFacts(db, { ...dispatch, ...template });
      const next = facts && roadOf(facts.account, facts.version, template.isStrict);
      if (next === undefined || next === road) return undefined;
      log.info(
        { messageId: dispatch.messageId, code: outcome.code, next },
        'road refused; the message takes the other',
      );
    } catch (error) {
      log.warn({ err: error, messageId: dispatch.messageId }, 'refusal of a road not noted; the message tries again');
    }
    return GO_AGAIN;
  }

  #learn(
    { organizationId, wabaId }: { organizationId: string; wabaId: string },
    { name, language }: TemplateInBody,
    road: SendRoad,
  ): Promise<void> {
    const waba = { organizationId, wabaId };
    return road === 'messages'
      ? noteMarketingForbidden(this.#deps, waba)
      : noteMarketingRefused(this.#deps, { ...waba, name, language });
  }
}

function isAboutRoad(road: SendRoad, code: string): boolean {
  return road === 'messages' ? code === FORBIDDEN_CODE : REFUSED_CODES.has(code);
}
