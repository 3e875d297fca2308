import type { Apps } from '../apps/index.ts';
import type { Onboarding } from './queries.ts';

/** Renders an onboarding without its secrets. `defaultAppId` is the app of the environment. */
export function renderOnboarding(one: Onboarding, { defaultAppId }: Pick<Apps, 'defaultAppId'>) {
  return {
    id: one.id,
    organization_id: one.organizationId,
    setup_link_id: one.setupLinkId,
    created_at: one.createdAt.toISOString(),
    updated_at: one.updatedAt.toISOString(),
    state: one.state,
    app_id: one.appId ?? defaultAppId,
    waba_id: one.wabaId,
    phone_number_id: one.phoneNumberId,
    test_recipient: one.testRecipient,
    template: { name: one.templateName, language: one.templateLanguage },
    message_id: one.messageId,
    has_pin: one.pinSealed !== null,
    steps: one.steps.map(({ name, ...step }) => ({ step: name, ...step })),
  };
}
