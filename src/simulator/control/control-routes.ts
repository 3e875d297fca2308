import type { FastifyInstance } from 'fastify';
import { jsonBody, pathId, queryParameter } from '../graph/graph-request.ts';
import { asObject, asString } from '../graph/json-object.ts';
import type { SendFilter, SendOutcome } from '../messages/send-log.ts';
import type { Platform } from '../platform.ts';
import {
  deliveryToWire,
  faultFromWire,
  faultToWire,
  inboundFromWire,
  numberChangeFromWire,
  numberFromWire,
  sendToWire,
  settingsFromWire,
  settingsToWire,
  signatureFromWire,
  templateFromWire,
  violationToWire,
  wabaChangeFromWire,
  wabaFromWire,
} from './control-wire.ts';
import { registerConversationRoutes } from './conversation-routes.ts';
import { registerPeopleRoutes } from './people-routes.ts';
import { present, textFromWire } from './wire-members.ts';
import { createWorldControl, type WorldControl } from './world-control.ts';

const SENDS_PER_ANSWER = 1000;

/** The control API under `/_sim`: the functions of `WorldControl` over HTTP. Errors are 400 `{error}`. */
export function registerControlRoutes(app: FastifyInstance, platform: Platform): void {
  const control = createWorldControl(platform);
  app.register(
    async (sim) => {
      sim.setErrorHandler((error, _request, reply) =>
        reply.code(400).send({ error: error instanceof Error ? error.message : String(error) }),
      );
      sim.get('/health', async () => ({ status: 'ok', app_id: platform.app.id }));
      sim.get('/quiet', async () => {
        await control.whenQuiet();
        return { success: true };
      });
      sim.post('/reset', async () => {
        await control.reset();
        return { success: true };
      });
      registerWorldRoutes(sim, control);
      registerPeopleRoutes(sim, control);
      registerConversationRoutes(sim, control);
      registerObservationRoutes(sim, control);
      registerWebhookRoutes(sim, control);
      registerFaultRoutes(sim, control);
    },
    { prefix: '/_sim' },
  );
}

function registerWorldRoutes(sim: FastifyInstance, control: WorldControl): void {
  sim.get('/settings', async () => settingsToWire(control.settings));
  sim.patch('/settings', async (request) => {
    Object.assign(control.settings, settingsFromWire(jsonBody(request), control.settings));
    return settingsToWire(control.settings);
  });
  sim.post('/apps', async (request) => {
    const body = jsonBody(request);
    const app = control.addApp({
      id: textFromWire(body, 'app_id'),
      secret: textFromWire(body, 'secret'),
      verifyToken: textFromWire(body, 'verify_token'),
      webhookUrl: typeof body.webhook_url === 'string' ? body.webhook_url : null,
      requiresProof: body.require_app_secret === true,
    });
    return { app_id: app.id };
  });
  sim.post('/wabas', async (request) => {
    const waba = control.addWaba(wabaFromWire(jsonBody(request)));
    return {
      waba_id: waba.id,
      numbers: control.accounts.listNumbers(waba.id).map(({ id }) => id),
      templates: control.accounts.listTemplates(waba.id).map(({ id }) => id),
    };
  });
  sim.patch('/wabas/:id', async (request) => {
    return { waba_id: control.updateWaba(pathId(request), wabaChangeFromWire(jsonBody(request))).id };
  });
  sim.post('/wabas/:id/token', async (request) => {
    control.rotateToken(pathId(request), textFromWire(jsonBody(request), 'access_token'));
    return { success: true };
  });
  sim.put('/wabas/:id/token-facts', async (request) => {
    control.describeToken(pathId(request), jsonBody(request));
    return { success: true };
  });
  sim.post('/wabas/:id/signup-codes', async (request) => {
    const { redirect_uri, life_ms } = jsonBody(request);
    const lifeMs = typeof life_ms === 'number' ? life_ms : undefined;
    return { code: control.issueSignupCode(pathId(request), { redirectUri: asString(redirect_uri), lifeMs }) };
  });
  sim.put('/numbers/:id/pin', async (request) => {
    control.setPin(pathId(request), asString(jsonBody(request).pin) ?? null);
    return { success: true };
  });
  sim.put('/numbers/:id/registrations', async (request) => {
    control.setRegistrations(pathId(request), Number(jsonBody(request).count ?? 0));
    return { success: true };
  });
  sim.post('/wabas/:id/numbers', async (request) => {
    return { id: control.addNumber(pathId(request), numberFromWire(jsonBody(request))).id };
  });
  sim.patch('/numbers/:id', async (request) => {
    return { id: control.updateNumber(pathId(request), numberChangeFromWire(jsonBody(request))).id };
  });
  sim.post('/wabas/:id/templates', async (request) => {
    return { id: control.addTemplate(pathId(request), templateFromWire(jsonBody(request))).id };
  });
  sim.post('/templates/:id/status', async (request) => {
    const { status: _, ...rest } = jsonBody(request);
    const change = { status: textFromWire(jsonBody(request), 'status'), ...stringsIn(rest, ['reason', 'event']) };
    return { delivery: deliveryToWire(await control.setTemplateStatus(pathId(request), change)) };
  });
  sim.post('/templates/:id/quality', async (request) => {
    const score = textFromWire(jsonBody(request), 'score');
    return { delivery: deliveryToWire(await control.setTemplateQuality(pathId(request), score)) };
  });
  sim.post('/templates/:id/category', async (request) => {
    const category = textFromWire(jsonBody(request), 'category');
    return { delivery: deliveryToWire(await control.setTemplateCategory(pathId(request), category)) };
  });
}

function registerObservationRoutes(sim: FastifyInstance, control: WorldControl): void {
  sim.get('/sends', async (request) => {
    const records = control.sends.list({
      limit: SENDS_PER_ANSWER,
      ...sendFilter((name) => queryParameter(request, name)),
    });
    return { total: control.sends.total, data: records.map(sendToWire) };
  });
  sim.get('/violations', async () => ({
    counts: control.violations.counts(),
    data: control.violations.list().map(violationToWire),
  }));
  sim.get('/deliveries', async () => ({ data: control.deliveries().map(deliveryToWire) }));
}

function registerWebhookRoutes(sim: FastifyInstance, control: WorldControl): void {
  sim.post('/inbound', async (request) => {
    const { wamid, delivery } = await control.inbound(inboundFromWire(jsonBody(request)));
    return { wamid, delivery: deliveryToWire(delivery) };
  });
  sim.post('/webhook-url', async (request) => {
    const body = jsonBody(request);
    const url = body.url === null ? null : textFromWire(body, 'url');
    const verified = body.verify === true && url !== null ? await control.verifyCallback(url) : null;
    if (verified !== false) control.setWebhookUrl(url);
    return { url, verified };
  });
  sim.post('/webhook', async (request) => {
    const body = jsonBody(request);
    const signature = signatureFromWire(body.signature) ?? 'valid';
    const options = { signature, once: body.retry !== true, ...stringsIn(body, ['url']) };
    const delivery = await control.postWebhook(body.payload, options);
    return { status: delivery.httpStatus, delivery: deliveryToWire(delivery) };
  });
  sim.post('/announce', async (request) => {
    const body = jsonBody(request);
    const [wabaId, field] = [textFromWire(body, 'waba_id'), textFromWire(body, 'field')];
    return { delivery: deliveryToWire(await control.announce(wabaId, field, asObject(body.value) ?? {})) };
  });
}

function registerFaultRoutes(sim: FastifyInstance, control: WorldControl): void {
  sim.get('/faults', async () => ({ data: control.listFaults().map(faultToWire) }));
  sim.post('/faults', async (request) => faultToWire(control.addFault(faultFromWire(jsonBody(request)))));
  sim.delete('/faults', async () => {
    control.clearFaults();
    return { success: true };
  });
  sim.delete('/faults/:id', async (request) => {
    control.clearFaults(Number(pathId(request)));
    return { success: true };
  });
}

function sendFilter(query: (name: string) => string | undefined): SendFilter {
  const [after, limit] = [query('after'), query('limit')];
  return present<SendFilter>({
    phoneNumberId: query('phone_number_id'),
    to: query('to'),
    after: after === undefined ? undefined : Number(after),
    limit: limit === undefined ? undefined : Number(limit),
    outcome: query('outcome') as SendOutcome['kind'] | undefined,
  });
}

/** Returns the named members that are strings. */
function stringsIn<Key extends string>(
  body: Record<string, unknown>,
  keys: readonly Key[],
): Partial<Record<Key, string>> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = asString(body[key]);
      return value === undefined ? [] : [[key, value]];
    }),
  ) as Partial<Record<Key, string>>;
}
