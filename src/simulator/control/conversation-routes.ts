import type { FastifyInstance } from 'fastify';
import type { CallSeed } from '../conversations/calls.ts';
import type { EchoSeed } from '../conversations/echoes.ts';
import type { HandoverSeed } from '../conversations/handovers.ts';
import { jsonBody, queryParameter } from '../graph/graph-request.ts';
import { asString, type JsonObject } from '../graph/json-object.ts';
import { deliveryToWire } from './control-wire.ts';
import { oneOf, present, textFromWire } from './wire-members.ts';
import type { WorldControl } from './world-control.ts';

/** Registers the calls about conversations: calls, handovers, echoes and windows. */
export function registerConversationRoutes(sim: FastifyInstance, control: WorldControl): void {
  sim.post('/calls', async (request) => ({ id: await control.call(callFromWire(jsonBody(request))) }));
  sim.post('/handovers', async (request) => ({
    delivery: deliveryToWire(await control.handOver(handoverFromWire(jsonBody(request)))),
  }));
  sim.post('/echoes', async (request) => {
    const { wamid, delivery } = await control.echo(echoFromWire(jsonBody(request)));
    return { wamid, delivery: deliveryToWire(delivery) };
  });
  sim.get('/windows', async (request) => {
    const query = {
      phone_number_id: queryParameter(request, 'phone_number_id'),
      user: queryParameter(request, 'user'),
    };
    return { open: control.isWindowOpen(textFromWire(query, 'phone_number_id'), textFromWire(query, 'user')) };
  });
  sim.post('/windows', async (request) => {
    const body = jsonBody(request);
    const [phoneNumberId, user] = [textFromWire(body, 'phone_number_id'), textFromWire(body, 'user')];
    if (body.open === false) control.closeWindow(phoneNumberId, user);
    else control.openWindow(phoneNumberId, user, typeof body.at === 'number' ? body.at : undefined);
    return { success: true };
  });
}

/** Reads `{phone_number_id, user, by?, answered?, at?}`. */
function callFromWire(body: JsonObject): CallSeed {
  const by = body.by === undefined ? undefined : oneOf(body, 'by', ['user', 'business'] as const);
  return {
    phoneNumberId: textFromWire(body, 'phone_number_id'),
    user: textFromWire(body, 'user'),
    isAnswered: body.answered === true,
    ...present<CallSeed>({ by, at: typeof body.at === 'number' ? body.at : undefined }),
  };
}

/** Reads `{phone_number_id, user, to}`. */
function handoverFromWire(body: JsonObject): HandoverSeed {
  return {
    phoneNumberId: textFromWire(body, 'phone_number_id'),
    user: textFromWire(body, 'user'),
    to: oneOf(body, 'to', ['agent', 'business']),
  };
}

/** Reads `{phone_number_id, to, by, type?, content?}`. */
function echoFromWire(body: JsonObject): EchoSeed {
  return {
    phoneNumberId: textFromWire(body, 'phone_number_id'),
    to: textFromWire(body, 'to'),
    by: oneOf(body, 'by', ['app', 'agent']),
    ...present<EchoSeed>({ type: asString(body.type), content: body.content }),
  };
}
