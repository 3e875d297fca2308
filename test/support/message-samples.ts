import assert from 'node:assert/strict';
import { GraphError } from '../../src/simulator/graph/graph-errors.ts';
import type { JsonObject } from '../../src/simulator/graph/json-object.ts';
import {
  type MessageContext,
  type ValidMessage,
  validateMessage,
} from '../../src/simulator/messages/message-validation.ts';
import { PeopleBook } from '../../src/simulator/people/people-book.ts';
import { ordinaryPerson, userIdOf } from '../../src/simulator/people/person.ts';
import type { PhoneNumber, Template } from '../../src/simulator/records.ts';

const number: PhoneNumber = {
  id: 'n',
  wabaId: 'w',
  displayPhoneNumber: '+1 555 078 3881',
  verifiedName: 'Shop',
  status: 'CONNECTED',
  platformType: 'CLOUD_API',
  qualityRating: 'GREEN',
  throughputLevel: 'STANDARD',
  isOnBizApp: false,
  messagesPerSecond: null,
  countryDialCode: null,
  overrideCallbackUri: null,
  allowedRecipients: null,
  attributes: {},
};

const stored = (name: string, components: JsonObject[], changes: Partial<Template> = {}): Template => ({
  id: name,
  wabaId: 'w',
  name,
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  components,
  parameterFormat: 'POSITIONAL',
  qualityScore: 'GREEN',
  qualityScoreAt: 1_750_000_000,
  rejectedReason: 'NONE',
  attributes: {},
  ...changes,
});

const templates = [
  stored('plain', [{ type: 'BODY', text: 'Hello.' }]),
  stored('two', [{ type: 'BODY', text: 'Hello {{1}}, order {{2}} is here.' }]),
  stored('named', [{ type: 'BODY', text: 'Hello {{first_name}}.' }], { parameterFormat: 'NAMED' }),
  stored('rich', [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Hello {{1}}, welcome.' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
        { type: 'QUICK_REPLY', text: 'Stop' },
      ],
    },
  ]),
  stored('otp', [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }], {
    category: 'AUTHENTICATION',
  }),
  stored('carousel', [
    { type: 'BODY', text: 'Offers.' },
    {
      type: 'CAROUSEL',
      cards: [1, 2].map(() => ({
        components: [
          { type: 'HEADER', format: 'IMAGE' },
          { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'This' }] },
        ],
      })),
    },
  ]),
  stored('offer', [
    { type: 'BODY', text: 'Buy.' },
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Soon', has_expiration: true } },
  ]),
  stored('paused', [{ type: 'BODY', text: 'Hello.' }], { status: 'PAUSED' }),
  stored('disabled', [{ type: 'BODY', text: 'Hello.' }], { status: 'DISABLED' }),
  stored('pending', [{ type: 'BODY', text: 'Hello.' }], { status: 'PENDING' }),
];

const scope = { portfolioId: 'p', parentPortfolioId: null };
/** The user id of a person whom the samples may address. */
export const userId = userIdOf(ordinaryPerson('16505551234'), scope);

/** A number, some media and a template of every kind. */
const context: MessageContext = {
  number,
  phoneNumberId: 'n',
  directSendEnabled: false,
  road: 'messages',
  marketingForbidden: false,
  onboarded: false,
  people: new PeopleBook(),
  scope,
  findMedia: (id) =>
    new Map([
      ['photo', { mimeType: 'image/png', phoneNumberId: 'n' }],
      ['webp', { mimeType: 'image/webp', phoneNumberId: 'n' }],
      ['ogg', { mimeType: 'audio/ogg', phoneNumberId: 'n' }],
      ['opus', { mimeType: 'audio/opus', phoneNumberId: 'n' }],
      ['foreign', { mimeType: 'image/png', phoneNumberId: 'other' }],
    ]).get(id),
  findTemplate: (name, language) => templates.find((known) => known.name === name && known.language === language),
};

/** Validates a message in a context without other problems. */
export function validate(message: JsonObject, changes: Partial<MessageContext> = {}): ValidMessage {
  return validateMessage({ messaging_product: 'whatsapp', to: '+16505551234', ...message }, { ...context, ...changes });
}

/** Returns the code with which a message is refused, `later <code>` if it fails after acceptance, or `ok`. */
export function verdict(message: JsonObject, changes?: Partial<MessageContext>): number | string {
  try {
    const { laterFailure } = validate(message, changes);
    return laterFailure === null ? 'ok' : `later ${laterFailure.code}`;
  } catch (error) {
    if (error instanceof GraphError) return error.code;
    throw error;
  }
}

/** Asserts the verdict of each message. */
export function check(cases: [number | string, JsonObject][]): void {
  for (const [expected, message] of cases)
    assert.equal(verdict(message), expected, JSON.stringify(message).slice(0, 200));
}

/** A file that can be fetched without authentication. */
export const link = 'https://example.com/file';
