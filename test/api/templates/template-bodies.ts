import { type Gateway, UPSTREAM_APP } from '../../harness/gateway.ts';

let names = 0;

/** Returns a template name that no other test of this process uses. */
export function freshName(): string {
  names += 1;
  return `notice_${process.pid}_${names}`;
}

/** Placeholders for handles of uploaded files, which `withHandles` inserts. */
const HANDLES = { image: '4::image', pdf: '4::pdf' };

/** Returns the body with handles that the simulated platform knows. */
export function withHandles<Body>(body: Body, handles: { image: string; pdf: string }): Body {
  const text = JSON.stringify(body).replaceAll(HANDLES.image, handles.image).replaceAll(HANDLES.pdf, handles.pdf);
  return JSON.parse(text) as Body;
}

/** Uploads a file to the simulated platform as an integrator with a token would, and returns its handle. */
export async function uploadHandle(gateway: Gateway, wabaId: string, mimeType: string): Promise<string> {
  const { world, baseUrl } = gateway.simulator;
  const authorization = `OAuth ${world.accounts.findWaba(wabaId)?.accessToken}`;
  const file = `file_name=sample&file_length=4&file_type=${mimeType}`;
  const opened = await fetch(`${baseUrl}/${UPSTREAM_APP.appId}/uploads?${file}`, {
    method: 'POST',
    headers: { authorization: authorization.replace('OAuth', 'Bearer') },
  });
  const { id } = (await opened.json()) as { id: string };
  const headers = { authorization, file_offset: '0' };
  const uploaded = await fetch(`${baseUrl}/${id}`, { method: 'POST', headers, body: 'data' });
  return ((await uploaded.json()) as { h: string }).h;
}

const authentication = (button: Record<string, unknown>) => ({
  language: 'en_US',
  category: 'AUTHENTICATION',
  message_send_ttl_seconds: 120,
  components: [
    { type: 'BODY', add_security_recommendation: true },
    { type: 'FOOTER', code_expiration_minutes: 5 },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', ...button }] },
  ],
});
const supported_apps = [{ package_name: 'com.example.bakery', signature_hash: 'abcdefghijk' }];
const body = (text: string, ...samples: string[]) => ({
  type: 'BODY',
  text,
  ...(samples.length > 0 && { example: { body_text: [samples] } }),
});
const buttons = (...list: unknown[]) => ({ type: 'BUTTONS', buttons: list });

/** One create body of every kind that the platform documents, without a name. */
export const TEMPLATES = {
  positional: {
    language: 'en_US',
    category: 'UTILITY',
    components: [body('Your cake {{1}} is ready to be picked up today.', 'lemon tart')],
  },
  named: {
    language: 'en_US',
    category: 'UTILITY',
    parameter_format: 'NAMED',
    components: [
      {
        type: 'BODY',
        text: 'Dear {{guest_name}}, the table is set for you.',
        example: { body_text_named_params: [{ param_name: 'guest_name', example: 'Ada' }] },
      },
    ],
  },
  textHeaderAndButtons: {
    language: 'de',
    category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Nur heute: {{1}}', example: { header_text: ['Brot'] } },
      body('Wir backen heute {{1}} und mehr für Sie im Laden.', 'Brezeln'),
      { type: 'FOOTER', text: 'Bäckerei am Markt' },
      buttons(
        { type: 'QUICK_REPLY', text: 'Keine Werbung' },
        { type: 'URL', text: 'Bestellen', url: 'https://example.com/o/{{1}}', example: ['https://example.com/o/7'] },
        { type: 'PHONE_NUMBER', text: 'Anrufen', phone_number: '+15550100' },
      ),
    ],
  },
  mediaHeader: {
    language: 'en_US',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'DOCUMENT', example: { header_handle: [HANDLES.pdf] } },
      body('Here is the invoice for your order at our bakery.'),
    ],
  },
  locationHeader: {
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'HEADER', format: 'LOCATION' }, body('The market stall is here today.')],
  },
  mediaCarousel: {
    language: 'en_US',
    category: 'MARKETING',
    components: [
      body('Fresh from the oven, {{1}}, just for you this week.', 'Ada'),
      {
        type: 'CAROUSEL',
        cards: ['Sourdough', 'Rye'].map((name) => ({
          components: [
            { type: 'HEADER', format: 'IMAGE', example: { header_handle: [HANDLES.image] } },
            body(`${name}, baked this morning.`),
            buttons(
              { type: 'QUICK_REPLY', text: 'More of this' },
              { type: 'URL', text: 'Shop', url: 'https://example.com/b/{{1}}', example: ['rye'] },
            ),
          ],
        })),
      },
    ],
  },
  productCarousel: {
    language: 'en_US',
    category: 'MARKETING',
    components: [
      body('New in the shop window this week.'),
      {
        type: 'CAROUSEL',
        cards: [1, 2].map(() => ({
          components: [{ type: 'HEADER', format: 'PRODUCT' }, buttons({ type: 'SPM', text: 'View' })],
        })),
      },
    ],
  },
  copyCodeAuthentication: authentication({ otp_type: 'COPY_CODE', text: 'Copy the code' }),
  oneTapAuthentication: authentication({ otp_type: 'ONE_TAP', text: 'Copy', autofill_text: 'Fill in', supported_apps }),
  zeroTapAuthentication: authentication({
    otp_type: 'ZERO_TAP',
    text: 'Copy',
    autofill_text: 'Fill in',
    zero_tap_terms_accepted: true,
    supported_apps,
  }),
  limitedTimeOffer: {
    language: 'en_US',
    category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: [HANDLES.image] } },
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Ends tonight', has_expiration: true } },
      body('Good evening {{1}}, the last loaves go cheaper now.', 'Ada'),
      buttons(
        { type: 'COPY_CODE', example: 'LASTLOAF' },
        { type: 'URL', text: 'Get one', url: 'https://example.com/l?c={{1}}', example: ['https://example.com/l?c=1'] },
      ),
    ],
  },
  coupon: {
    language: 'en_US',
    category: 'MARKETING',
    components: [body('Take this code to the till.'), buttons({ type: 'COPY_CODE', example: 'LOAF25' })],
  },
  catalog: {
    language: 'en_US',
    category: 'MARKETING',
    components: [
      body('Everything we bake is in our catalog.'),
      { type: 'FOOTER', text: 'Open until six' },
      buttons({ type: 'CATALOG', text: 'View catalog' }),
    ],
  },
  multiProduct: {
    language: 'en_US',
    category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Still hungry?' },
      body('These are waiting in your basket, {{1}}, take a look.', 'Ada'),
      buttons({ type: 'MPM', text: 'View items' }),
    ],
  },
  singleProduct: {
    language: 'en_US',
    category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'PRODUCT' },
      body('The loaf of the week is here.'),
      buttons({ type: 'SPM', text: 'View' }),
    ],
  },
  flow: {
    language: 'en_US',
    category: 'UTILITY',
    components: [
      body('Tell us when you would like to come.'),
      buttons({ type: 'FLOW', text: 'Book', flow_id: '7700112233', flow_action: 'navigate', navigate_screen: 'START' }),
    ],
  },
  voiceCall: {
    language: 'en_US',
    category: 'UTILITY',
    components: [body('Call us about your order.'), buttons({ type: 'VOICE_CALL', text: 'Call', ttl_minutes: 1440 })],
  },
  callPermission: {
    language: 'en_US',
    category: 'UTILITY',
    sub_category: 'CALL_PERMISSIONS_REQUEST',
    components: [body('May we call you about your order?'), { type: 'call_permission_request' }],
  },
};
