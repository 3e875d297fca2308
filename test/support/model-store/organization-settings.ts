/** Settings of the organization that the model knows, too. */
export const SETTINGS = {
  name: 'one',
  test: false,
  weight: 1,
  unknownOutcomePolicy: 'resend',
  messageTtlSeconds: 60,
} as const;

/** Its other settings. */
export const DEFAULTS = {
  directSend: false,
  phoneNumbers: 'upstream' as const,
  toWithoutPlus: false,
  marketingMessages: 'auto' as const,
  contactsAsText: false,
  cloudApiCredentials: false,
  optOutWords: [],
  retention: {},
  keepBodies: 'until_expiry' as const,
  hasOptOuts: false,
};
