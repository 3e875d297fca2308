/** Values of `type` a send can have (api-rules#bodies). */
export const MESSAGE_TYPES = [
  'text',
  'template',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'reaction',
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];
