import type { FastifyInstance } from 'fastify';
import { jsonBody, pathId } from '../graph/graph-request.ts';
import { asString, type JsonObject } from '../graph/json-object.ts';
import { usernameStatuses } from '../people/business-usernames.ts';
import { type Person, parentUserIdOf, userIdOf } from '../people/person.ts';
import { type PersonChange, type PersonProfile, personNotices } from '../people/person-changes.ts';
import { deliveryToWire } from './control-wire.ts';
import { oneOf, present, textFromWire } from './wire-members.ts';
import type { WorldControl } from './world-control.ts';

/** Registers the calls about people and user names. The `{id}` of a person is a phone or a present user id. */
export function registerPeopleRoutes(sim: FastifyInstance, control: WorldControl): void {
  sim.post('/people', async (request) => {
    const body = jsonBody(request);
    return personToWire(control, control.addPerson({ ...profileFromWire(body), phone: textFromWire(body, 'phone') }));
  });
  sim.get('/people/:id', async (request) => personToWire(control, control.person(pathId(request))));
  sim.patch('/people/:id', async (request) => {
    const { person, deliveries } = await control.updatePerson(pathId(request), changeFromWire(jsonBody(request)));
    return { ...personToWire(control, person), deliveries: deliveries.map(deliveryToWire) };
  });
  sim.post('/numbers/:id/username', async (request) => {
    const body = jsonBody(request);
    const change = { status: oneOf(body, 'status', usernameStatuses) };
    const username = asString(body.username);
    const named = username === undefined ? change : { ...change, username };
    return { delivery: deliveryToWire(await control.setBusinessUsername(pathId(request), named)) };
  });
}

/** Renders a person, with the user ids of each account. */
function personToWire(control: WorldControl, person: Person): JsonObject {
  return {
    phone: person.phone,
    wa_id: person.waId,
    name: person.name,
    username: person.username,
    country: person.country,
    user_ids: control.accounts.listWabas().map((waba) => ({
      waba_id: waba.id,
      user_id: userIdOf(person, waba),
      parent_user_id: parentUserIdOf(person, waba),
    })),
  };
}

/** Reads `{name?, username?, country?, wa_id?}`; a `username` of null gives it up. */
function profileFromWire(body: JsonObject): PersonProfile {
  return present<PersonProfile>({
    name: asString(body.name),
    username: body.username === null ? null : asString(body.username),
    country: asString(body.country),
    waId: asString(body.wa_id),
  });
}

/** Reads the members of a profile and `{phone?, new_user_id?, hides_phone?, notices?}`. */
function changeFromWire(body: JsonObject): PersonChange {
  const { notices, hides_phone: hidesPhone } = body;
  return {
    ...profileFromWire(body),
    ...present<PersonChange>({
      phone: asString(body.phone),
      newUserId: body.new_user_id === true ? true : undefined,
      hidesPhone: typeof hidesPhone === 'boolean' ? hidesPhone : undefined,
      notices: Array.isArray(notices) ? notices.map((notice) => oneOf({ notice }, 'notice', personNotices)) : undefined,
    }),
  };
}
