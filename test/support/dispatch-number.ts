import type { SendingNumber } from '../../src/accounts/index.ts';

/** A number in its normal state. */
export const NUMBER: SendingNumber = {
  organizationId: 'o',
  phoneNumberId: '800',
  accountId: 'a',
  numberId: 1,
  wabaId: '700',
  phoneNumber: '15550001111',
  verifiedName: null,
  status: 'CONNECTED',
  registered: true,
  qualityRating: null,
  messagingLimit: null,
  throughputLevel: 'STANDARD',
  isOnBizApp: false,
  webhookOverride: null,
  messagesPerSecond: 80,
  paused: false,
  parked: null,
  released: false,
  appId: null,
  marketingMessages: null,
  isMarketingReady: false,
};
