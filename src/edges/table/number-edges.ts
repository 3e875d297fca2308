import { type Edge, edgesOf, PAGES } from './edge.ts';
import { NUMBER_FIELDS } from './number-fields.ts';

const row = edgesOf('Numbers');

const PROFILE = ['about', 'address', 'description', 'email', 'profile_picture_url', 'websites', 'vertical', 'id'];
const QR_CODE = {
  code: '4O4YGZEG3RIVE1',
  prefilled_message: 'Hello',
  deep_link_url: 'https://wa.me/message/4O4YGZEG3RIVE1',
};
const BLOCKED = { messaging_product: 'whatsapp', block_users: [{ user: '+12025550123' }] };
const BLOCK_ANSWER = {
  messaging_product: 'whatsapp',
  block_users: { added_users: [{ input: '+12025550123', wa_id: '12025550123' }] },
};

/** Calls about a number: profile, block list, QR codes, user name, settings. */
export const NUMBER_EDGES: readonly Edge[] = [
  row('GET', 'number', '', {
    name: 'readNumber',
    summary: 'Read a number at the platform',
    fields: NUMBER_FIELDS,
    answers: { status: 'CONNECTED', name_status: 'APPROVED', id: '106540352242922' },
  }),
  row('POST', 'number', '', {
    name: 'changeNumber',
    summary: 'Ask for another display name',
    query: ['new_display_name'],
    body: {
      members: ['new_display_name'],
      refused: { webhook_configuration: 'it is served by the gateway itself and must come alone' },
    },
    sends: { new_display_name: 'Example Ltd' },
  }),
  row('GET', 'number', 'whatsapp_business_profile', {
    name: 'getBusinessProfile',
    summary: 'Read the business profile',
    fields: [...PROFILE, 'messaging_product'],
    answers: { data: [{ messaging_product: 'whatsapp', about: 'Open till six' }] },
  }),
  row('POST', 'number', 'whatsapp_business_profile', {
    name: 'updateBusinessProfile',
    summary: 'Change the business profile',
    sends: { messaging_product: 'whatsapp', about: 'Open till six' },
  }),
  row('GET', 'number', 'block_users', {
    name: 'listBlockedUsers',
    summary: 'List blocked people',
    query: PAGES,
    answers: { data: [{ messaging_product: 'whatsapp', wa_id: '12025550123' }] },
  }),
  row('POST', 'number', 'block_users', {
    name: 'blockUsers',
    summary: 'Block people',
    sends: BLOCKED,
    answers: BLOCK_ANSWER,
  }),
  row('DELETE', 'number', 'block_users', {
    name: 'unblockUsers',
    summary: 'Unblock people',
    sends: BLOCKED,
    answers: BLOCK_ANSWER,
  }),
  row('GET', 'number', 'message_qrdls', {
    name: 'listQrCodes',
    summary: 'List QR codes and short links',
    query: [...PAGES, 'code'],
    fields: ['code', 'prefilled_message', 'deep_link_url', 'qr_image_url', 'creation_time', 'id'],
    answers: { data: [QR_CODE] },
  }),
  row('POST', 'number', 'message_qrdls', {
    name: 'saveQrCode',
    summary: 'Create or change a QR code',
    query: ['prefilled_message', 'generate_qr_image', 'code'],
    sends: { prefilled_message: 'Hello', generate_qr_image: 'SVG' },
    answers: QR_CODE,
  }),
  row('GET', 'number', 'message_qrdls/:code', {
    name: 'getQrCode',
    summary: 'Read a QR code',
    fields: ['code', 'prefilled_message', 'deep_link_url', 'qr_image_url', 'creation_time', 'id'],
    answers: { data: [QR_CODE] },
  }),
  row('POST', 'number', 'message_qrdls/:code', {
    name: 'changeQrCode',
    summary: 'Change a QR code',
    query: ['prefilled_message', 'generate_qr_image'],
    sends: { prefilled_message: 'Hello again' },
    answers: QR_CODE,
  }),
  row('DELETE', 'number', 'message_qrdls/:code', { name: 'deleteQrCode', summary: 'Delete a QR code' }),
  row('GET', 'number', 'username', {
    name: 'getUsername',
    summary: "Read the number's user name",
    answers: { username: 'example', status: 'approved' },
  }),
  row('POST', 'number', 'username', {
    name: 'setUsername',
    summary: 'Ask for a user name',
    query: ['username'],
    sends: { username: 'example' },
    answers: { status: 'reserved' },
  }),
  row('DELETE', 'number', 'username', { name: 'deleteUsername', summary: 'Give up the user name' }),
  row('GET', 'number', 'username_suggestions', {
    name: 'listUsernameSuggestions',
    summary: 'List suggested user names',
    answers: { data: [{ username_suggestions: ['example'] }] },
  }),
  row('GET', 'number', 'settings', {
    name: 'getNumberSettings',
    summary: 'Read the settings of a number',
    query: ['include_sip_credentials'],
    fields: ['calling', 'storage_configuration', 'user_identity_change', 'payload_encryption'],
    answers: { calling: { status: 'ENABLED' } },
  }),
  row('POST', 'number', 'settings', {
    name: 'updateNumberSettings',
    summary: 'Change calling and identity checks',
    body: {
      members: ['messaging_product', 'calling', 'user_identity_change'],
      refused: {
        payload_encryption: 'it would hide the messages from the gateway; ask the operator',
        storage_configuration: 'it would hide the messages from the gateway; ask the operator',
      },
    },
    sends: { calling: { status: 'ENABLED' } },
  }),
  row('GET', 'number', 'whatsapp_business_encryption', {
    name: 'getEncryptionKey',
    summary: 'Read the public key of flows',
    answers: { data: [{ business_public_key_signature_status: 'VALID' }] },
  }),
  row('POST', 'number', 'whatsapp_business_encryption', {
    name: 'setEncryptionKey',
    summary: 'Set the public key of flows',
    body: { formFields: ['business_public_key'] },
    sends: { business_public_key: '-----BEGIN PUBLIC KEY----- …' },
  }),
  row('GET', 'number', 'whatsapp_commerce_settings', {
    name: 'getCommerceSettings',
    summary: 'Read the commerce settings',
    fields: ['is_cart_enabled', 'is_catalog_visible', 'id'],
    answers: { data: [{ is_cart_enabled: true, is_catalog_visible: true, id: '727705352028726' }] },
  }),
  row('POST', 'number', 'whatsapp_commerce_settings', {
    name: 'updateCommerceSettings',
    summary: 'Change the commerce settings',
    query: ['is_cart_enabled', 'is_catalog_visible'],
    body: { members: ['messaging_product', 'is_cart_enabled', 'is_catalog_visible'] },
    sends: { is_cart_enabled: true },
  }),
  row('GET', 'number', 'conversational_automation', {
    name: 'getConversationalAutomation',
    summary: 'Read ice breakers and commands',
    answers: { conversational_automation: { prompts: ['Book a table'] }, id: '106540352242922' },
  }),
  row('POST', 'number', 'conversational_automation', {
    name: 'updateConversationalAutomation',
    summary: 'Change ice breakers and commands',
    query: ['enable_welcome_message', 'prompts', 'commands'],
    sends: { prompts: ['Book a table'] },
  }),
  row('GET', 'number', 'business_compliance_info', {
    name: 'getComplianceInfo',
    summary: 'Read the compliance information',
    fields: [
      'entity_name',
      'entity_type',
      'entity_type_custom',
      'is_registered',
      'grievance_officer_details',
      'customer_care_details',
    ],
    answers: { data: [{ entity_name: 'Example Ltd' }] },
  }),
  row('POST', 'number', 'business_compliance_info', {
    name: 'updateComplianceInfo',
    summary: 'Change the compliance information',
    sends: { messaging_product: 'whatsapp', entity_name: 'Example Ltd' },
  }),
  row('GET', 'number', 'official_business_account', {
    name: 'getOfficialBusinessAccount',
    summary: 'Read the status of the official account',
    fields: ['oba_status', 'status_message', 'id'],
    answers: { oba_status: 'NOT_STARTED' },
  }),
  row('POST', 'number', 'official_business_account', {
    name: 'requestOfficialBusinessAccount',
    summary: 'Apply for the official account',
    sends: { business_website_url: 'https://example.com', primary_country_of_operation: 'US' },
  }),
  row('GET', 'number', 'message_history', {
    name: 'listMessageHistory',
    summary: "List the platform's records of a message",
    query: [...PAGES, 'message_id'],
    fields: ['id', 'message_id', 'events'],
    learns: 'history',
    answers: { data: [{ id: '9133422', message_id: 'wamid.HBgLMTIwMjU1NTAxMjM=' }] },
  }),
  row('GET', 'history', 'events', {
    name: 'listHistoryEvents',
    summary: "List the events of the platform's record of a message",
    query: PAGES,
    fields: [
      'id',
      'delivery_status',
      'error_description',
      'occurrence_timestamp',
      'status_timestamp',
      'webhook_update_state',
    ],
    answers: { data: [{ id: '71', delivery_status: 'DELIVERED' }] },
  }),
];
