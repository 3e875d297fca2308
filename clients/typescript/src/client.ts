import type { AnswerOf, QueryOf } from './api-shapes.ts';
import { Audit } from './resources/audit.ts';
import { Events } from './resources/events.ts';
import { Media } from './resources/media.ts';
import { Messages } from './resources/messages.ts';
import { Numbers } from './resources/numbers.ts';
import { OptOuts } from './resources/opt-outs.ts';
import { People } from './resources/people.ts';
import { Templates } from './resources/templates.ts';
import { Webhooks } from './resources/webhooks.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  type CallOptions,
  type ClientOptions,
  Transport,
} from './transport/transport.ts';

/** Client of one organization. */
export class Fairway {
  readonly messages: Messages;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly templates: Templates;
  readonly media: Media;
  readonly numbers: Numbers;
  readonly optOuts: OptOuts;
  readonly people: People;
  readonly audit: Audit;
  readonly #transport: Transport;

  /** @param options `apiKey` is the organization's key, `fw_live_…`, or `fw_test_…` of a test organization */
  constructor({ apiKey, ...options }: ClientOptions & { apiKey: string }) {
    this.#transport = new Transport(options, apiKey);
    this.messages = new Messages(this.#transport);
    this.events = new Events(this.#transport);
    this.webhooks = new Webhooks(this.#transport);
    this.templates = new Templates(this.#transport);
    this.media = new Media(this.#transport);
    this.numbers = new Numbers(this.#transport);
    this.optOuts = new OptOuts(this.#transport);
    this.people = new People(this.#transport);
    this.audit = new Audit(this.#transport);
  }

  /** Reads the usage and the cost of one month. */
  usage(query: QueryOf<'getOwnUsage'> = {}, options?: CallOptions): Promise<AnswerOf<'getOwnUsage'>> {
    return this.#transport.body({ ...options, method: 'GET', path: '/v1/usage', query });
  }

  /** Calls any path of the API, with the same key, repetitions and errors. */
  request<Body>(request: ApiRequest): Promise<ApiAnswer<Body>> {
    return this.#transport.json(request);
  }
}
