import { type Edge, edgesOf, PAGES } from './edge.ts';
import { NUMBER_FIELDS } from './number-fields.ts';

const row = edgesOf('Registration');

const SIGNUP_FIELDS = [
  'id',
  'name',
  'status',
  'signup_message',
  'confirmation_message',
  'website_link',
  'privacy_policy_link',
];

/** Calls that add, verify, register and deregister numbers. */
export const REGISTRATION_EDGES: readonly Edge[] = [
  row('GET', 'account', 'phone_numbers', {
    name: 'readPhoneNumbers',
    summary: 'List the numbers of a business account at the platform',
    query: PAGES,
    fields: NUMBER_FIELDS,
    ofNodes: true,
    answers: { data: [{ name_status: 'APPROVED', id: '106540352242922' }] },
  }),
  row('POST', 'account', 'phone_numbers', {
    name: 'addPhoneNumber',
    summary: 'Add a number to a business account',
    query: ['cc', 'phone_number', 'verified_name', 'migrate_phone_number'],
    body: { members: ['messaging_product', 'cc', 'phone_number', 'verified_name', 'migrate_phone_number'] },
    follows: 'account_read',
    sends: { cc: '1', phone_number: '2025550100', verified_name: 'Example Ltd' },
    answers: { id: '106540352242922' },
  }),
  row('POST', 'number', 'request_code', {
    name: 'requestVerificationCode',
    summary: 'Ask for a verification code',
    query: ['code_method', 'language'],
    body: { formFields: ['code_method', 'language'] },
    sends: { code_method: 'SMS', language: 'en_US' },
  }),
  row('POST', 'number', 'verify_code', {
    name: 'verifyCode',
    summary: 'Verify a number with its code',
    query: ['code'],
    body: { formFields: ['code'] },
    sends: { code: '482913' },
  }),
  row('POST', 'number', 'register', {
    name: 'registerNumber',
    summary: 'Register a number',
    body: { members: ['messaging_product', 'pin', 'data_localization_region', 'backup'] },
    follows: 'registered',
    sends: { messaging_product: 'whatsapp', pin: '482913' },
  }),
  row('POST', 'number', 'deregister', {
    name: 'deregisterNumber',
    summary: 'Deregister a number',
    body: { members: ['messaging_product'] },
    follows: 'deregistered',
  }),
  row('POST', 'number', 'smb_app_data', {
    name: 'requestAppData',
    summary: 'Ask for the contacts or the history of the business app',
    sends: { messaging_product: 'whatsapp', sync_type: 'history' },
    answers: { messaging_product: 'whatsapp', request_id: 'CgAQnr' },
  }),
  row('GET', 'account', 'signups', {
    name: 'listSignups',
    summary: 'List in-app sign-ups',
    query: PAGES,
    fields: SIGNUP_FIELDS,
    learns: 'signup',
    answers: { data: [{ id: '5120987' }] },
  }),
  row('POST', 'account', 'signups', {
    name: 'createSignup',
    summary: 'Create an in-app sign-up',
    learns: 'signup',
    sends: { name: 'newsletter' },
    answers: { id: '5120987' },
  }),
  row('GET', 'signup', '', {
    name: 'getSignup',
    summary: 'Read an in-app sign-up',
    fields: SIGNUP_FIELDS,
    answers: { id: '5120987' },
  }),
];
