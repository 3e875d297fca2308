import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../core/errors.ts';
import { addressFor, checkPageRequest, type Query, readFirstText, readJsonBody } from '../../http/index.ts';
import { repeatStep } from '../change-onboarding.ts';
import { renderOnboarding } from '../onboarding-view.ts';
import { repeatBody } from '../schemas.ts';
import { type VerifyDeps, verifyByCode } from '../verify-by-code.ts';
import { type SessionDeps, SetupSessions } from './setup-session.ts';

const HIDDEN = { schema: { hide: true } };
/** Forbids everything but files of this origin: no inline script or style, no frame, no other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const TYPES: Readonly<Record<string, string>> = {
  'setup.html': 'text/html; charset=utf-8',
  'setup.js': 'text/javascript; charset=utf-8',
  'setup.css': 'text/css; charset=utf-8',
};
const secretBody = Type.Object(
  { secret: Type.String({ minLength: 1, maxLength: 200 }) },
  { additionalProperties: false },
);
/** The values that a person with a link may give. The token and the app are the operator's. */
const stepBody = Type.Pick(
  repeatBody,
  ['waba_id', 'phone_number_id', 'pin', 'test_recipient', 'request_code', 'verification_code'],
  { additionalProperties: false },
);

/** Registers the page of set-up links. Its routes are for the page only, so the OpenAPI file leaves them out. */
export function setupRoutes(app: FastifyInstance, deps: SessionDeps & VerifyDeps): void {
  const sessions = new SetupSessions(deps);
  const files = new Map(
    Object.keys(TYPES).map((name) => [name, readFileSync(join(import.meta.dirname, 'assets', name))]),
  );
  const checkPage = (request: FastifyRequest) =>
    checkPageRequest(request, new URL(addressFor(request, deps.publicUrl)).origin);
  const send = (reply: FastifyReply, name: string) => {
    const file = files.get(name);
    if (file === undefined) throw new AppError('NOT_FOUND', `The set-up page has no file ${name}.`);
    return reply
      .header('cache-control', 'no-cache')
      .header('content-security-policy', POLICY)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .type(TYPES[name] ?? '')
      .send(file);
  };

  app.get('/setup', HIDDEN, (_request, reply) => send(reply, 'setup.html'));
  app.get<{ Params: { file: string } }>('/setup/assets/:file', HIDDEN, (request, reply) =>
    send(reply, request.params.file),
  );

  app.post('/setup/session', HIDDEN, async (request, reply) => {
    checkPage(request);
    const { secret } = readJsonBody(request, secretBody);
    return reply
      .header('set-cookie', await sessions.open(secret))
      .code(204)
      .send();
  });

  app.get('/setup/session', HIDDEN, async (request, reply) => {
    checkPage(request);
    const { cookie, view } = await sessions.show(request);
    if (cookie) reply.header('set-cookie', cookie);
    return reply.header('cache-control', 'no-store').send(view);
  });

  app.post('/setup/dialog', HIDDEN, async (request, reply) => {
    checkPage(request);
    const { url, cookie } = await sessions.begin(request);
    return reply.header('set-cookie', cookie).header('cache-control', 'no-store').send({ url });
  });

  // A HEAD request, such as of a link preview, must not use up the code.
  app.get<{ Querystring: Query }>('/setup/callback', { ...HIDDEN, exposeHeadRoute: false }, async (request, reply) => {
    const code = readFirstText(request.query, 'code');
    const state = readFirstText(request.query, 'state');
    const cookie = await sessions.complete(request, {
      ...(code !== undefined && { code }),
      ...(state !== undefined && { state }),
    });
    if (cookie !== undefined) reply.header('set-cookie', cookie);
    // The code and the state must leave the address, and the referrer must not repeat them.
    return reply
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .redirect(`${addressFor(request, deps.publicUrl)}/setup`, 303);
  });

  app.post<{ Params: { step: string } }>('/setup/steps/:step', HIDDEN, async (request, reply) => {
    checkPage(request);
    const { organizationId, onboardingId } = await sessions.linkOf(request);
    if (onboardingId === null) throw new AppError('NOT_FOUND', 'No account has been shared yet.');
    const body = readJsonBody(request, stepBody);
    const place = { organizationId, id: onboardingId, step: request.params.step };
    await verifyByCode(deps, place, body);
    const repeated = await repeatStep(deps, place, {
      wabaId: body.waba_id,
      phoneNumberId: body.phone_number_id,
      pin: body.pin,
      testRecipient: body.test_recipient,
    });
    return reply.header('cache-control', 'no-store').send(renderOnboarding(repeated, deps.apps));
  });
}
