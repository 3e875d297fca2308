import type { FastifyInstance } from 'fastify';
import { graphCalls } from '../graph/graph-calls.ts';
import { GraphError, invalidParameter } from '../graph/graph-errors.ts';
import { tokenOf } from '../graph/graph-request.ts';
import type { Platform } from '../platform.ts';
import { parametersOf, requiredText } from './parameters.ts';

const PERIOD_MS = 72 * 3_600_000;
const CALLS_MAX = 10;
const WRONG_PINS_MAX = 5;
/** The code that the simulator sends. */
const CODE = '123456';

/** Registers the calls that add, verify, register and deregister numbers. */
export function registerRegistrationRoutes(app: FastifyInstance, platform: Platform): void {
  const { world, edges, clock, ids } = platform;
  const graph = graphCalls(app, platform);
  const options = { endpoint: 'numbers', isManagement: true } as const;

  graph('POST', '/:id/phone_numbers', options, (request, wabaId) => {
    const waba = world.visibleWaba(wabaId, tokenOf(request));
    const parameters = parametersOf(request);
    const [cc, rest] = [requiredText(parameters, 'cc'), requiredText(parameters, 'phone_number')];
    const number = world.addNumber(waba.id, {
      id: ids.objectId(),
      displayPhoneNumber: `+${cc}${rest.replace(/\D/g, '')}`,
      verifiedName: requiredText(parameters, 'verified_name'),
      status: 'PENDING',
      platformType: 'NOT_APPLICABLE',
    });
    return { id: number.id };
  });

  graph('POST', '/:id/request_code', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request));
    const method = requiredText(parametersOf(request), 'code_method');
    if (method !== 'SMS' && method !== 'VOICE') throw invalidParameter('code_method must be SMS or VOICE.');
    edges.documentOf(id, 'verification').requested = true;
    return { success: true };
  });

  graph('POST', '/:id/verify_code', options, (request, id) => {
    const number = world.visibleNumber(id, tokenOf(request));
    const code = requiredText(parametersOf(request), 'code').replace('-', '');
    if (edges.documentOf(id, 'verification').requested !== true || code !== CODE) {
      throw new GraphError(136025, { message: '(#136025) Verify code error', subcode: 2388368 });
    }
    number.attributes.code_verification_status = 'VERIFIED';
    return { success: true };
  });

  graph('POST', '/:id/register', options, (request, id) => {
    const number = world.visibleNumber(id, tokenOf(request));
    countCall(id);
    const pin = requiredText(parametersOf(request), 'pin');
    if (!/^\d{6}$/.test(pin)) throw invalidParameter('Param pin must be 6 characters long.');
    if (number.attributes.recently_deleted === true) throw new GraphError(133015);
    const verification = number.attributes.code_verification_status ?? 'VERIFIED';
    if (number.platformType === 'NOT_APPLICABLE' && verification !== 'VERIFIED') throw new GraphError(133006);
    checkPin(id, pin);
    edges.pins.set(id, pin);
    number.platformType = 'CLOUD_API';
    number.status = 'CONNECTED';
    return { success: true };
  });

  graph('POST', '/:id/deregister', options, (request, id) => {
    const number = world.visibleNumber(id, tokenOf(request));
    countCall(id);
    if (number.platformType === 'NOT_APPLICABLE') throw new GraphError(133010);
    number.platformType = 'NOT_APPLICABLE';
    number.status = 'DISCONNECTED';
    return { success: true };
  });

  graph('POST', '/:id/smb_app_data', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request));
    requiredText(parametersOf(request), 'sync_type');
    return { messaging_product: 'whatsapp', request_id: ids.opaque(12) };
  });

  /** Compares a PIN with the number's. After five wrong ones, no PIN is compared until one is set by the control API. */
  function checkPin(phoneNumberId: string, pin: string): void {
    const known = edges.pins.get(phoneNumberId);
    if (known === undefined || known === pin) return;
    const guesses = edges.documentOf(phoneNumberId, 'pin guesses');
    guesses.wrong = Number(guesses.wrong ?? 0) + 1;
    throw new GraphError(Number(guesses.wrong) > WRONG_PINS_MAX ? 133008 : 133005);
  }

  /** Counts a registration or deregistration; after ten within 72 hours the number is locked. */
  function countCall(phoneNumberId: string): void {
    const now = clock.now();
    const calls = edges.registrationsOf(phoneNumberId);
    calls.splice(0, calls.length, ...calls.filter((at) => at > now - PERIOD_MS), now);
    if (calls.length > CALLS_MAX) {
      throw new GraphError(133016);
    }
  }
}
