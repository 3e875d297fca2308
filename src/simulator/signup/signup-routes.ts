import type { FastifyInstance, FastifyRequest } from 'fastify';
import { appOfToken, appOfWaba, findApp } from '../apps.ts';
import { parametersOf, requiredText } from '../edges/parameters.ts';
import { graphCalls } from '../graph/graph-calls.ts';
import { GraphError } from '../graph/graph-errors.ts';
import { queryParameter } from '../graph/graph-request.ts';
import { asString } from '../graph/json-object.ts';
import type { Platform } from '../platform.ts';

/** Registers the dialog in which a business shares its account with the app, and the exchange of its code. */
export function registerSignupRoutes(app: FastifyInstance, platform: Platform): void {
  const graph = graphCalls(app, platform);

  // A page of links stands in for the dialog: one for each account, and one to cancel.
  app.get('/dialog/oauth', (request, reply) => {
    const refusal = refusalOf(platform, request);
    reply.type('text/html; charset=utf-8');
    if (refusal !== undefined) return reply.code(400).send(page(`<p>${refusal}</p>`));
    const links = platform.world
      .listWabas()
      .filter((waba) => appOfWaba(platform, waba).id === queryParameter(request, 'client_id'))
      .map(
        ({ id, name }) => `<li><a href="${escapeHtml(choiceUrl(request, id))}">${escapeHtml(name)} (${id})</a></li>`,
      );
    return reply.send(page(`<ul>${links.join('')}</ul><a href="${escapeHtml(choiceUrl(request, ''))}">Cancel</a>`));
  });

  app.get('/dialog/oauth/choice', (request, reply) => {
    const target = new URL(queryParameter(request, 'redirect_uri') ?? '');
    const redirectUri = target.href;
    const waba = platform.world.findWaba(queryParameter(request, 'waba_id') ?? '');
    if (waba === undefined) {
      target.searchParams.set('error', 'access_denied');
      target.searchParams.set('error_reason', 'user_denied');
    } else {
      target.searchParams.set('code', platform.signups.issue(waba.accessToken, redirectUri));
    }
    target.searchParams.set('state', queryParameter(request, 'state') ?? '');
    return reply.redirect(target.href, 302);
  });

  const exchange = (request: FastifyRequest) => {
    const parameters = parametersOf(request);
    const signupApp = findApp(platform, requiredText(parameters, 'client_id'));
    if (signupApp === undefined) {
      throw new GraphError(101, { message: 'Error validating application. Invalid application ID.' });
    }
    if (requiredText(parameters, 'client_secret') !== signupApp.secret) {
      throw new GraphError(1, { httpStatus: 400, message: 'Error validating client secret.' });
    }
    const redirectUri = asString(parameters.redirect_uri) ?? null;
    const accessToken = platform.signups.redeem(requiredText(parameters, 'code'), redirectUri);
    if (appOfToken(platform, accessToken).id !== signupApp.id) {
      throw new GraphError(100, { message: 'Error validating verification code. It belongs to another app.' });
    }
    return { access_token: accessToken, token_type: 'bearer' };
  };
  graph('GET', '/oauth/access_token', { endpoint: 'accounts' }, exchange);
  graph('POST', '/oauth/access_token', { endpoint: 'accounts' }, exchange);
}

/** Returns the dialog's words for a request that it does not serve. */
function refusalOf(platform: Platform, request: FastifyRequest): string | undefined {
  if (findApp(platform, queryParameter(request, 'client_id') ?? '') === undefined) return 'Invalid App ID.';
  if (queryParameter(request, 'response_type') !== 'code') return 'response_type must be code.';
  if (!queryParameter(request, 'config_id')) return 'config_id is missing.';
  if (!queryParameter(request, 'state')) return 'state is missing.';
  return URL.canParse(queryParameter(request, 'redirect_uri') ?? '') ? undefined : 'redirect_uri is not valid.';
}

function choiceUrl(request: FastifyRequest, wabaId: string): string {
  const query = new URLSearchParams({
    redirect_uri: queryParameter(request, 'redirect_uri') ?? '',
    state: queryParameter(request, 'state') ?? '',
    waba_id: wabaId,
  });
  return `oauth/choice?${query}`;
}

function page(content: string): string {
  return `<!doctype html><html lang="en"><title>Simulated sign-up</title><h1>Share an account with the app</h1>${content}</html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
