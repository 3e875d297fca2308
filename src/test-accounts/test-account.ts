import { sha256Hex } from '../core/digest.ts';
import { TEST_TOKEN_PREFIX } from '../upstream/index.ts';

/** The business account of a test organization, with its only number. */
export interface TestAccount {
  wabaId: string;
  phoneNumberId: string;
  displayPhoneNumber: string;
  accessToken: string;
}

const DIGITS = 16;
const ENDING = { waba: '1', number: '2' };

/**
 * Returns the account of a test organization. It follows from the organization's id, so that every node knows the account, and so does a
 * process after a restart. The ids begin with 0, as no id of the platform does.
 */
export function testAccountOf(organizationId: string): TestAccount {
  const digest = BigInt(`0x${sha256Hex(`test account ${organizationId.toLowerCase()}`)}`);
  const digits = String(digest % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0');
  return accountOf(`0${digits}${ENDING.waba}`);
}

/** Returns the account that the token belongs to; undefined for a token of another kind. */
export function findAccountOfToken(token: string): TestAccount | undefined {
  const wabaId = token.slice(TEST_TOKEN_PREFIX.length);
  return token.startsWith(TEST_TOKEN_PREFIX) && isTestWabaId(wabaId) ? accountOf(wabaId) : undefined;
}

/** True if the id has the form of a test organization's business account. */
export function isTestWabaId(id: string): boolean {
  return /^0\d{16}1$/.test(id);
}

/** True if the id has the form of a test organization's number. */
export function isTestNumberId(id: string): boolean {
  return /^0\d{16}2$/.test(id);
}

function accountOf(wabaId: string): TestAccount {
  const digits = wabaId.slice(1, -1);
  return {
    wabaId,
    phoneNumberId: `0${digits}${ENDING.number}`,
    // No subscriber has a number in the area code 555.
    displayPhoneNumber: `+1 555-${digits.slice(0, 3)}-${digits.slice(3, 7)}`,
    accessToken: `${TEST_TOKEN_PREFIX}${wabaId}`,
  };
}
