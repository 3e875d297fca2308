/** A country whose mobile numbers have two spellings: the one dialled today, and the one under which older accounts are kept. */
interface SpellingPlan {
  /** Returns the older spelling of a number as dialled today, or null if it has none. */
  older(digits: string): string | null;
  /** Returns the number as dialled today from its older spelling, or null if `digits` is not one. */
  newer(digits: string): string | null;
  /** Spelling that the platform reports unless a person is kept under the other. */
  reported: 'newer' | 'older';
}

/** Ivory Coast: the operator's two digits stand in front of the old eight, chosen by the second of them. */
function ivorianOperator(old: string): string {
  const second = Number(old[1]);
  if (second <= 3) return '01';
  return second <= 6 ? '05' : '07';
}

const plans: Readonly<Record<string, SpellingPlan>> = {
  '55': {
    older: (digits) => (/^55\d{2}9\d{8}$/.test(digits) ? digits.slice(0, 4) + digits.slice(5) : null),
    newer: (digits) => (/^55\d{10}$/.test(digits) ? `${digits.slice(0, 4)}9${digits.slice(4)}` : null),
    reported: 'older',
  },
  '52': {
    older: (digits) => (/^52[2-9]\d{9}$/.test(digits) ? `521${digits.slice(2)}` : null),
    newer: (digits) => (/^521[2-9]\d{9}$/.test(digits) ? `52${digits.slice(3)}` : null),
    reported: 'older',
  },
  '54': {
    older: (digits) => (/^549\d{10}$/.test(digits) ? `54${digits.slice(3)}` : null),
    newer: (digits) => (/^54[1-8]\d{9}$/.test(digits) ? `549${digits.slice(2)}` : null),
    reported: 'newer',
  },
  '225': {
    older(digits) {
      const old = /^225(?:01|05|07)([04-9]\d{7})$/.exec(digits)?.[1];
      return old !== undefined && digits.startsWith(ivorianOperator(old), 3) ? `225${old}` : null;
    },
    newer(digits) {
      const old = /^225([04-9]\d{7})$/.exec(digits)?.[1];
      return old === undefined ? null : `225${ivorianOperator(old)}${old}`;
    },
    reported: 'newer',
  },
  '229': {
    older: (digits) => (/^22901\d{8}$/.test(digits) ? `229${digits.slice(5)}` : null),
    newer: (digits) => (/^229\d{8}$/.test(digits) ? `22901${digits.slice(3)}` : null),
    reported: 'newer',
  },
};

function planOf(digits: string): SpellingPlan | undefined {
  return plans[digits.slice(0, 2)] ?? plans[digits.slice(0, 3)];
}

/** Returns the digits as they are dialled today. Both spellings of a number give the same digits. Pure. */
export function canonicalPhone(digits: string): string {
  return planOf(digits)?.newer(digits) ?? digits;
}

/** Returns the spellings of a number that is given as dialled today: this one, and the older one if it exists. Pure. */
export function spellingsOf(phone: string): string[] {
  const older = planOf(phone)?.older(phone);
  return older == null ? [phone] : [phone, older];
}

/** Returns the digits that the platform reports for a number, unless its person is kept under the other spelling. Pure. */
export function waIdOf(digits: string): string {
  const phone = canonicalPhone(digits);
  const plan = planOf(phone);
  return (plan?.reported === 'older' ? plan.older(phone) : null) ?? phone;
}
