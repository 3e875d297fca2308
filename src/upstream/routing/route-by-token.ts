import { isTestToken } from '../graph/test-token.ts';
import type { SendRequest } from '../send-message.ts';
import type { SendOutcome } from '../send-outcome.ts';
import type { Upstream } from '../upstream.ts';

/**
 * Returns an upstream that makes each call with the client of the call's token: the built-in simulator's for test accounts, the platform's
 * for all others. Each client refuses the tokens of the other one, so a mistake here opens no connection.
 */
export function routeByToken({ live, tests }: { live: Upstream; tests: Upstream }): Upstream {
  const by = (token: string) => (isTestToken(token) ? tests : live);
  return {
    platformClock: live.platformClock,
    sendMessage: async (request) =>
      isTestToken(request.token) ? await sendAsTest(tests, request) : await live.sendMessage(request),
    markAsRead: (request) => by(request.token).markAsRead(request),
    listPhoneNumbers: (wabaId, token) => by(token).listPhoneNumbers(wabaId, token),
    subscribeApp: (wabaId, token) => by(token).subscribeApp(wabaId, token),
    readSubscription: (wabaId, token) => by(token).readSubscription(wabaId, token),
    unsubscribeApp: (wabaId, token) => by(token).unsubscribeApp(wabaId, token),
    readNumberHealth: (wabaId, token) => by(token).readNumberHealth(wabaId, token),
    readOnboarding: (wabaId, token) => by(token).readOnboarding(wabaId, token),
    readAppWebhooks: (app) => live.readAppWebhooks(app),
    subscribeAppFields: (app, change) => live.subscribeAppFields(app, change),
    debugToken: (app, token) => live.debugToken(app, token),
    exchangeCode: (app, grant) => live.exchangeCode(app, grant),
    readNumberState: (phoneNumberId, token) => by(token).readNumberState(phoneNumberId, token),
    registerNumber: (phoneNumberId, token, pin) => by(token).registerNumber(phoneNumberId, token, pin),
    requestNumberCode: (phoneNumberId, token, method) => by(token).requestNumberCode(phoneNumberId, token, method),
    verifyNumber: (phoneNumberId, token, code) => by(token).verifyNumber(phoneNumberId, token, code),
    listTemplates: (wabaId, token) => by(token).listTemplates(wabaId, token),
    findTemplatesByName: (wabaId, token, name) => by(token).findTemplatesByName(wabaId, token, name),
    getTemplate: (templateId, token) => by(token).getTemplate(templateId, token),
    summarizeTemplates: (wabaId, token, summary) => by(token).summarizeTemplates(wabaId, token, summary),
    createTemplate: (wabaId, token, body) => by(token).createTemplate(wabaId, token, body),
    editTemplate: (templateId, token, body) => by(token).editTemplate(templateId, token, body),
    deleteTemplates: (wabaId, token, selection) => by(token).deleteTemplates(wabaId, token, selection),
    uploadSample: (token, file) => by(token).uploadSample(token, file),
    uploadMedia: (phoneNumberId, token, file) => by(token).uploadMedia(phoneNumberId, token, file),
    getMedia: (mediaId, token, phoneNumberId) => by(token).getMedia(mediaId, token, phoneNumberId),
    deleteMedia: (mediaId, token, phoneNumberId) => by(token).deleteMedia(mediaId, token, phoneNumberId),
    downloadMedia: (url, token) => by(token).downloadMedia(url, token),
    passThrough: (call) => by(call.token).passThrough(call),
    async close(graceMs) {
      await Promise.all([live.close(graceMs), tests.close(graceMs)]);
    },
  };
}

/**
 * Sends a message of a test account. Limits the effect of the outcome to the account: without this, a magic recipient that reports the limit
 * of the app would make the messages of all organizations wait.
 */
async function sendAsTest(tests: Upstream, request: SendRequest): Promise<SendOutcome> {
  const outcome = await tests.sendMessage(request);
  if (outcome.kind === 'throttled' && outcome.scope === 'app') return { ...outcome, scope: 'waba' };
  if (outcome.kind !== 'unsent' || outcome.reason === 'withheld') return outcome;
  const message = 'The built-in simulator does not answer.';
  return { kind: 'throttled', scope: 'waba', retryAfterMs: 1_000, code: outcome.reason, message };
}
