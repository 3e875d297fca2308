import { type CheckContext, skippedFor, type Verdict } from '../check.ts';

type Judged = Omit<Verdict, 'subject'>;

/** Judges the credentials of each further app. */
export async function judgeFurtherCredentials({ furtherApps }: Pick<CheckContext, 'furtherApps'>): Promise<Verdict[]> {
  return (await furtherApps()).map(({ appId, answer }): Verdict => {
    const subject = `app ${appId}`;
    if (answer.kind !== 'credential' && answer.kind !== 'rejected') {
      return answer.kind === 'ok'
        ? { subject, status: 'ok', message: 'The platform accepts them.' }
        : skippedFor({ subject }, answer);
    }
    return {
      subject,
      status: 'failed',
      message: `The platform refuses the id of the app with its first secret (code ${answer.code}).`,
      advice: 'Copy the secret from the app dashboard, and change it here (PATCH /admin/v1/apps/{app_id}).',
    };
  });
}

/** Judges the webhook address and the fields of each further app. */
export async function judgeFurtherFields(
  { furtherApps }: Pick<CheckContext, 'furtherApps'>,
  required: readonly string[],
  leadsHere: (url: string | null) => boolean,
): Promise<Verdict[]> {
  return (await furtherApps()).map(({ appId, answer }): Verdict => {
    const subject = `app ${appId}`;
    if (answer.kind !== 'ok') return skippedFor({ subject }, answer);
    return { subject, ...judge(answer.value, appId, required, leadsHere) };
  });
}

function judge(
  { callback, isActive, fields }: { callback: { url: string | null } | null; isActive: boolean; fields: string[] },
  appId: string,
  required: readonly string[],
  leadsHere: (url: string | null) => boolean,
): Judged {
  const advice = `Set the address /webhooks/upstream/${appId} of this gateway and the fields in the app dashboard.`;
  if (callback === null || !isActive) {
    return { status: 'failed', message: 'The app has no active webhook address: the platform posts nothing.', advice };
  }
  if (!leadsHere(callback.url)) {
    const message = `The webhooks of the app go to ${callback.url ?? 'an invalid address'}.`;
    return { status: 'warning', message, advice };
  }
  const missing = required.filter((field) => !fields.includes(field));
  if (missing.length === 0) {
    return { status: 'ok', message: 'The app is subscribed to every field that the gateway acts upon.' };
  }
  return {
    status: missing.includes('messages') ? 'failed' : 'warning',
    message: `The app is not subscribed to the webhook fields ${missing.join(', ')}.`,
    advice,
  };
}
