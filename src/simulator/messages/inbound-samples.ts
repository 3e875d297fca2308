import type { JsonObject } from '../graph/json-object.ts';

/** Sample media of a user: MIME type and a few bytes that a type detector recognises. */
export const inboundMediaSamples: Readonly<Record<string, { mimeType: string; bytes: Buffer; extra: JsonObject }>> = {
  image: {
    mimeType: 'image/jpeg',
    bytes: Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'),
    extra: {},
  },
  video: {
    mimeType: 'video/mp4',
    bytes: Buffer.from('0000001866747970697336640000020069736f6d6d703432', 'hex'),
    extra: {},
  },
  audio: {
    mimeType: 'audio/ogg; codecs=opus',
    bytes: Buffer.from('4f676753000200000000', 'hex'),
    extra: { voice: true },
  },
  document: {
    mimeType: 'application/pdf',
    bytes: Buffer.from('%PDF-1.4\n%%EOF\n'),
    extra: { filename: 'receipt.pdf' },
  },
  sticker: {
    mimeType: 'image/webp',
    bytes: Buffer.from('524946460400000057454250', 'hex'),
    extra: { animated: false },
  },
};

/** Returns the default contents of an inbound message of this type. Media types are completed with a stored object. */
export function sampleContent(type: string, from: string, repliedTo: string): unknown {
  switch (type) {
    case 'text':
      return { body: 'Hello from a simulated user' };
    case 'location':
      return { latitude: 52.3731, longitude: 4.8922, name: 'Central Station', address: 'Stationsplein 1, Amsterdam' };
    case 'contacts':
      return [
        {
          name: { formatted_name: 'Ada Example', first_name: 'Ada', last_name: 'Example' },
          phones: [{ phone: '+1 555 010 0199', wa_id: '15550100199', type: 'MOBILE' }],
        },
      ];
    case 'interactive':
      return { type: 'button_reply', button_reply: { id: 'choice-1', title: 'Yes' } };
    case 'button':
      return { payload: 'STOP', text: 'Stop' };
    case 'order':
      return {
        catalog_id: '200000000000001',
        text: 'These, please',
        product_items: [{ product_retailer_id: 'sku-1', quantity: 2, item_price: 30, currency: 'EUR' }],
      };
    case 'reaction':
      return { message_id: repliedTo, emoji: '👍' };
    case 'system':
      return { body: `User changed from ${from} to ${from}9`, wa_id: `${from}9`, type: 'user_changed_number' };
    case 'unsupported':
      return { type: 'poll' };
    case 'edit':
      return { original_message_id: repliedTo, message: { type: 'text', text: { body: 'Edited' } } };
    case 'revoke':
      return { original_message_id: repliedTo };
    default:
      return {};
  }
}
