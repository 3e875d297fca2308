import type { Waba } from './records.ts';
import type { World } from './world.ts';

/** A Meta app of the simulated platform. */
export interface SimulatedApp {
  readonly id: string;
  /** Signs its webhooks and proves its calls. */
  readonly secret: string;
  /** For the webhook handshake. */
  readonly verifyToken: string;
  webhookUrl: string | null;
  /** Fields to which it is subscribed; null stands for all. */
  fields: string[] | null;
  /** False if its subscription is switched off. */
  isActive: boolean;
  /** True if its calls have to prove its secret. */
  requiresProof: boolean;
}

/** The parts of the platform that tell apps apart. */
interface Platform {
  readonly app: Pick<SimulatedApp, 'id' | 'secret' | 'verifyToken'>;
  readonly furtherApps: Map<string, SimulatedApp>;
  readonly settings: {
    webhookUrl: string | null;
    appFields: string[] | null;
    isAppActive: boolean;
    requireAppSecret: boolean;
  };
  readonly world: Pick<World, 'listWabas'>;
}

export type AppSeed = Pick<SimulatedApp, 'id' | 'secret' | 'verifyToken'> &
  Partial<Pick<SimulatedApp, 'webhookUrl' | 'fields' | 'requiresProof'>>;

/** Adds an app beside the first one, or replaces it. */
export function addApp({ furtherApps }: Pick<Platform, 'furtherApps'>, seed: AppSeed): SimulatedApp {
  const app = { webhookUrl: null, fields: null, isActive: true, requiresProof: false, ...seed };
  furtherApps.set(app.id, app);
  return app;
}

/** Returns the app with this id; undefined if there is none. */
export function findApp(platform: Platform, id: string): SimulatedApp | undefined {
  return id === platform.app.id ? firstApp(platform) : platform.furtherApps.get(id);
}

/** Returns the app that an account's token belongs to. */
export function appOfWaba(platform: Platform, { appId }: Pick<Waba, 'appId'>): SimulatedApp {
  return (appId === null ? undefined : platform.furtherApps.get(appId)) ?? firstApp(platform);
}

/** Returns the app that a token belongs to; an unknown token counts as one of the first app. */
export function appOfToken(platform: Platform, token: string): SimulatedApp {
  const app = findAppByToken(platform, token);
  if (app !== undefined) return app;
  if (platform.furtherApps.size === 0) return firstApp(platform);
  const waba = platform.world.listWabas().find(({ accessToken }) => accessToken === token);
  return waba === undefined ? firstApp(platform) : appOfWaba(platform, waba);
}

/** Returns the app whose own token this is: its id and its secret. */
export function findAppByToken(platform: Platform, token: string): SimulatedApp | undefined {
  const [id = ''] = token.split('|', 1);
  const app = findApp(platform, id);
  return app !== undefined && token === `${app.id}|${app.secret}` ? app : undefined;
}

/** The first app keeps its subscription in the settings. */
function firstApp({ app, settings }: Platform): SimulatedApp {
  return {
    ...app,
    get webhookUrl() {
      return settings.webhookUrl;
    },
    set webhookUrl(url) {
      settings.webhookUrl = url;
    },
    get fields() {
      return settings.appFields;
    },
    set fields(fields) {
      settings.appFields = fields;
    },
    get isActive() {
      return settings.isAppActive;
    },
    set isActive(isActive) {
      settings.isAppActive = isActive;
    },
    get requiresProof() {
      return settings.requireAppSecret;
    },
    set requiresProof(requiresProof) {
      settings.requireAppSecret = requiresProof;
    },
  };
}
