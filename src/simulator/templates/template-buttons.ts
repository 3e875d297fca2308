import { asObjects, asString, type JsonObject } from '../graph/json-object.ts';
import { charsIn } from '../messages/parameter-checks.ts';
import type { ComponentContext } from './template-context.ts';
import { templateError } from './template-errors.ts';
import { placeholdersIn } from './template-parameters.ts';

interface ButtonRule {
  countMax: number;
  /** True if the author chooses the label. */
  hasLabel: boolean;
  check?(button: JsonObject, context: ComponentContext): void;
}

const rules: Record<string, ButtonRule> = {
  QUICK_REPLY: { countMax: 10, hasLabel: true },
  URL: { countMax: 2, hasLabel: true, check: checkUrl },
  PHONE_NUMBER: { countMax: 1, hasLabel: true, check: checkPhoneNumber },
  COPY_CODE: { countMax: 1, hasLabel: false, check: checkCopyCode },
  OTP: { countMax: 1, hasLabel: false, check: checkOtp },
  FLOW: { countMax: 1, hasLabel: true, check: checkFlow },
  CATALOG: { countMax: 1, hasLabel: true },
  MPM: { countMax: 1, hasLabel: true },
  SPM: { countMax: 1, hasLabel: true },
  VOICE_CALL: { countMax: 1, hasLabel: true },
  REQUEST_CONTACT_INFO: { countMax: 1, hasLabel: false },
  ORDER_DETAILS: { countMax: 1, hasLabel: true },
  SEND_LOCATION: { countMax: 1, hasLabel: false },
};

/** Checks the buttons of a template or card: at most ten, quick replies in one group, each within its own limits. */
export function checkButtons(buttons: readonly JsonObject[], context: ComponentContext): void {
  if (buttons.length < 1 || buttons.length > 10) throw buttonError('A template has 1 to 10 buttons.');
  const kinds = buttons.map((button) => String(button.type));
  checkGrouping(kinds);
  for (const [index, button] of buttons.entries()) {
    const kind = kinds[index] ?? '';
    const rule = Object.hasOwn(rules, kind) ? rules[kind] : undefined;
    if (rule === undefined) throw buttonError(`The button type ${kind} is not known.`);
    if (kinds.filter((other) => other === kind).length > rule.countMax) {
      throw buttonError(`A template has at most ${rule.countMax} buttons of type ${kind}.`);
    }
    if ((kind === 'OTP') !== (context.category === 'AUTHENTICATION')) {
      throw buttonError('Authentication templates have an OTP button, other templates have none.');
    }
    if (rule.hasLabel) checkLabel(button, index);
    rule.check?.(button, context);
  }
  if (context.hasOffer && kinds.includes('COPY_CODE') && kinds[0] !== 'COPY_CODE') {
    throw buttonError('In a limited-time offer the copy-code button comes first.');
  }
}

/** Checks that quick replies form one group, before or after all others. */
function checkGrouping(kinds: readonly string[]): void {
  const switches = kinds.filter((kind, at) => at > 0 && (kind === 'QUICK_REPLY') !== (kinds[at - 1] === 'QUICK_REPLY'));
  if (switches.length > 1) throw buttonError('Quick replies must be grouped together.');
}

function checkLabel(button: JsonObject, index: number): void {
  const label = asString(button.text);
  if (!label) throw templateError(2388043, `buttons[${index}] is missing expected field(s): text.`);
  if (charsIn(label) > 25) throw templateError(2388040, `The label of buttons[${index}] is longer than 25 characters.`);
}

function checkUrl(button: JsonObject): void {
  const url = asString(button.url);
  if (!url) throw templateError(2388043, 'A URL button is missing expected field(s): url.');
  if (charsIn(url) > 2000) throw templateError(2388040, 'The URL of a button is longer than 2000 characters.');
  if (!/^https?:\/\//i.test(url)) throw buttonError('The URL of a button must begin with http:// or https://.');
  const names = placeholdersIn(url);
  if (names.length > 1 || (names.length === 1 && !/\{\{[^{}]*\}\}$/.test(url))) {
    throw buttonError('The URL of a button has at most one variable, at its very end.');
  }
  if (names.length === 1 && (!Array.isArray(button.example) || button.example.length !== 1)) {
    throw templateError(2388043, 'A URL button with a variable is missing expected field(s): example.');
  }
}

function checkPhoneNumber(button: JsonObject): void {
  const phone = asString(button.phone_number);
  if (!phone) throw templateError(2388043, 'A phone button is missing expected field(s): phone_number.');
  if (phone.length > 20) throw templateError(2388040, 'The phone number of a button is longer than 20 characters.');
}

function checkCopyCode(button: JsonObject, context: ComponentContext): void {
  const code = Array.isArray(button.example) ? asString(button.example[0]) : asString(button.example);
  if (!code) throw templateError(2388043, 'A copy-code button is missing expected field(s): example.');
  const charsMax = context.hasOffer ? 15 : 20;
  if (charsIn(code) > charsMax) throw templateError(2388040, `A coupon code has at most ${charsMax} characters.`);
}

function checkOtp(button: JsonObject): void {
  const kind = String(button.otp_type).toUpperCase();
  if (!['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'].includes(kind)) throw buttonError(`The otp_type ${kind} is not known.`);
  if (kind === 'COPY_CODE') return;
  const apps = asObjects(button.supported_apps);
  if (apps.length < 1 || apps.length > 5) throw buttonError('supported_apps must name 1 to 5 apps.');
  for (const app of apps) {
    const name = asString(app.package_name) ?? '';
    if (name === '' || name.length > 224) throw buttonError('package_name must have 1 to 224 characters.');
    if (asString(app.signature_hash)?.length !== 11) throw buttonError('signature_hash must have 11 characters.');
  }
  if (kind === 'ZERO_TAP' && button.zero_tap_terms_accepted !== true) {
    throw buttonError('zero_tap_terms_accepted must be true.');
  }
}

function checkFlow(button: JsonObject): void {
  const given = [button.flow_id, button.flow_name, button.flow_json].filter((value) => value !== undefined);
  if (given.length !== 1) throw buttonError('A flow button takes one of flow_id, flow_name and flow_json.');
}

function buttonError(explanation: string) {
  return templateError(2388044, explanation);
}
