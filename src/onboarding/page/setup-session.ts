import { randomBytes } from 'node:crypto';
import { sha256 } from '../../core/digest.ts';
import { AppError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { addressFor, type HttpRequest, SealedCookie } from '../../http/index.ts';
import { getOrganization } from '../../organizations/index.ts';
import { beginOnboarding, type ChangeDeps, type Given, repeatStep } from '../change-onboarding.ts';
import { type SetupLink, storeState, takeState } from '../links/link-queries.ts';
import { findLinkBySecret, findUsableLink } from '../links/setup-links.ts';
import { renderOnboarding } from '../onboarding-view.ts';
import { findOnboarding, type Onboarding } from '../queries.ts';
import { dialogUrl } from './dialog-url.ts';

/** Content of the page's cookie: the link, the sign-up in progress, and the reason for which the last one failed. */
interface SessionContent {
  organizationId: string;
  linkId: string;
  pending?: { state: string; redirectUri: string };
  notice?: string;
}

export interface SessionDeps extends ChangeDeps {
  publicUrl: string | null;
  upstreamBaseUrl: string;
}

/** Life of the page's cookie, in ms. The link opens the page again. */
const LIFE_MS = 12 * 3_600_000;
const CALLBACK = '/setup/callback';

/** The sessions of people with a set-up link. A session is a sealed cookie: it counts as long as its link does. */
export class SetupSessions {
  readonly #deps: SessionDeps;
  readonly #cookie: SealedCookie<SessionContent>;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#cookie = new SealedCookie({
      box: deps.secretBox,
      now: () => deps.clock.now(),
      isSecure: deps.publicUrl?.startsWith('https:') === true,
      ...{ name: 'fairway_setup', context: 'onboarding|set-up page', lifeMs: LIFE_MS },
    });
  }

  /** Opens a session with the secret of a link; returns its cookie. Raises UNAUTHORIZED. */
  async open(secret: string): Promise<string> {
    const link = await findLinkBySecret(this.#deps, secret);
    if (link === undefined) throw unauthorized();
    return this.#cookie.store({ organizationId: link.organizationId, linkId: link.id });
  }

  /** Returns the link of a request. Raises UNAUTHORIZED. */
  async linkOf(request: HttpRequest): Promise<SetupLink> {
    const { organizationId = '', linkId = '' } = this.#cookie.read(request.headers.cookie) ?? {};
    const isId = isUuid(organizationId) && isUuid(linkId);
    const link = isId ? await findUsableLink(this.#deps, organizationId, linkId) : undefined;
    if (link === undefined) throw unauthorized();
    return link;
  }

  /** Returns what the page shows, and the cookie without the notice, which is shown once. Raises UNAUTHORIZED. */
  async show(request: HttpRequest) {
    const link = await this.linkOf(request);
    const { name } = await getOrganization(this.#deps, link.organizationId);
    const onboarding = await this.onboardingOf(link);
    const { notice } = this.#cookie.read(request.headers.cookie) ?? {};
    const { apps } = this.#deps;
    const app = await this.#deps.appOf(onboarding ?? link);
    return {
      cookie: notice && this.#cookie.store({ organizationId: link.organizationId, linkId: link.id }),
      view: {
        organization: name,
        expires_at: link.expiresAt.toISOString(),
        can_sign_up: app !== null && app.signupConfigurationId !== null,
        notice: notice ?? null,
        onboarding: onboarding === undefined ? null : renderOnboarding(onboarding, apps),
      },
    };
  }

  /** Returns the link's onboarding; undefined if it has none yet. */
  async onboardingOf({ organizationId, onboardingId }: SetupLink): Promise<Onboarding | undefined> {
    return onboardingId === null ? undefined : await findOnboarding(this.#deps.db, organizationId, onboardingId);
  }

  /** Begins a sign-up; returns the address of the dialog and the cookie. Raises UNAUTHORIZED, CONFLICT, UNAVAILABLE. */
  async begin(request: HttpRequest): Promise<{ url: string; cookie: string }> {
    const { appOf, upstreamBaseUrl, publicUrl, db } = this.#deps;
    const link = await this.linkOf(request);
    const present = await this.onboardingOf(link);
    // An operator may have given the onboarding another app. Its code is exchanged with the app of the dialog.
    const app = await appOf(present ?? link);
    const configId = app?.signupConfigurationId;
    if (!app || !configId) throw new AppError('CONFLICT', notSetUp(present ?? link));
    if (present !== undefined && present.state !== 'failed' && present.state !== 'waiting') {
      throw new AppError('CONFLICT', 'The account of this link is connected, or a step is in progress.');
    }
    const state = randomBytes(32).toString('base64url');
    const redirectUri = `${addressFor(request, publicUrl)}${CALLBACK}`;
    await storeState(db, link, sha256(state));
    const { organizationId, id: linkId } = link;
    return {
      url: dialogUrl(upstreamBaseUrl, { appId: app.id, configId, redirectUri, state }),
      cookie: this.#cookie.store({ organizationId, linkId, pending: { state, redirectUri } }),
    };
  }

  /**
   * Ends a sign-up: uses up its state, and exchanges the code. Returns the cookie, with the reason if the sign-up failed; undefined without a
   * session.
   */
  async complete(
    request: HttpRequest,
    { code, state }: { code?: string; state?: string },
  ): Promise<string | undefined> {
    const content = this.#cookie.read(request.headers.cookie);
    if (content === undefined) return undefined;
    const { organizationId, linkId, pending } = content;
    const session = { organizationId, linkId };
    const failed = (notice: string) => this.#cookie.store({ ...session, notice });
    // Without this comparison, a page of another site could have its own code accepted in this browser.
    if (pending === undefined || state !== pending.state)
      return failed('This sign-up was not begun here. Begin again.');
    const { db, clock } = this.#deps;
    const place = { organizationId, id: linkId };
    const isTaken = await takeState(db, place, sha256(pending.state), new Date(clock.now()));
    if (!isTaken) return failed('This sign-up was used already, or the link has expired.');
    if (code === undefined) return failed('The sign-up was cancelled. Nothing was shared.');
    const link = await findUsableLink(this.#deps, organizationId, linkId);
    if (link === undefined) return failed('The link has expired.');
    const given = { code, redirectUri: pending.redirectUri };
    const present = await this.onboardingOf(link);
    try {
      if (present === undefined) await this.#begin(link, given);
      else await repeatStep(this.#deps, { organizationId, id: present.id, step: 'exchange_code' }, given);
    } catch (error) {
      if (error instanceof AppError) return failed(error.message);
      throw error;
    }
    return this.#cookie.store(session);
  }

  async #begin(link: SetupLink, given: Given): Promise<void> {
    const template = { name: link.templateName, language: link.templateLanguage };
    const all = { ...given, appId: link.appId, testRecipient: link.testRecipient ?? undefined, template };
    await beginOnboarding(this.#deps, link.organizationId, all, link.id);
  }
}

function notSetUp({ appId }: Pick<SetupLink, 'appId'>): string {
  const setting = appId === null ? 'UPSTREAM_SIGNUP_CONFIG_ID' : `"signup_configuration_id" of the app ${appId}`;
  return `The sign-up is not set up: ${setting} is not set.`;
}

function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', 'Open your set-up link again. If it has expired, ask for another one.');
}
