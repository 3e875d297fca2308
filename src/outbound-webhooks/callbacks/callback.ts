import type { EndpointFilter } from '../endpoint.ts';
import { typesOfFields, typesOfOverride } from './callback-fields.ts';

/** The object that a client registers an address for. The id of an app is any that the client uses. */
export interface CallbackPlace {
  kind: 'app' | 'account' | 'number';
  objectId: string;
}

/** An address that a client registered as at the platform. */
export interface Callback extends CallbackPlace {
  /** Null for a business account that was subscribed without an address of its own. */
  url: string | null;
  /** The platform's webhook fields that an app asked for. Null for an override. */
  fields: readonly string[] | null;
}

/** Returns the filter of the endpoint that serves a registered address. */
export function filterOf({ kind, objectId }: CallbackPlace, fields: readonly string[] | null): EndpointFilter {
  return {
    eventTypes: fields === null ? typesOfOverride() : typesOfFields(fields),
    phoneNumberIds: kind === 'number' ? [objectId] : null,
    wabaIds: kind === 'account' ? [objectId] : null,
  };
}
