import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Environment variables that the commands for people read. */
export interface Environment {
  url: string | undefined;
  apiKey: string | undefined;
  adminToken: string | undefined;
  profile: string | undefined;
  /** Number that `send` uses without `--from`. */
  phoneNumberId: string | undefined;
  /** Address of the simulator that `trigger` talks to. */
  simulatorUrl: string | undefined;
  /** Access token of a business account, for `wabas connect`. */
  wabaToken: string | undefined;
  /** Secrets of a Meta app, for `apps create` and `apps update`. */
  appSecret: string | undefined;
  /** Verify token of a Meta app, for `apps create` and `apps update`. */
  verifyToken: string | undefined;
  /** Secret with which `listen` signs. */
  webhookSecret: string | undefined;
  /** Absolute path of the file with the profiles. */
  profilesPath: string;
  /** Absolute path of the data directory of a gateway started in this checkout. */
  dataDir: string;
}

const CHECKOUT = resolve(import.meta.dirname, '../..');

/** Reads the environment; an empty variable counts as unset. */
export function readEnvironment(env: Record<string, string | undefined> = process.env): Environment {
  const text = (name: string) => env[name]?.trim() || undefined;
  return {
    url: text('FAIRWAY_URL'),
    apiKey: text('FAIRWAY_API_KEY'),
    adminToken: text('FAIRWAY_ADMIN_TOKEN'),
    profile: text('FAIRWAY_PROFILE'),
    phoneNumberId: text('FAIRWAY_PHONE_NUMBER_ID'),
    simulatorUrl: text('FAIRWAY_SIMULATOR_URL'),
    wabaToken: text('FAIRWAY_WABA_TOKEN'),
    appSecret: text('FAIRWAY_APP_SECRET'),
    verifyToken: text('FAIRWAY_VERIFY_TOKEN'),
    webhookSecret: text('FAIRWAY_WEBHOOK_SECRET'),
    profilesPath: join(text('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'fairway', 'profiles.json'),
    dataDir: resolve(CHECKOUT, text('DATA_DIR') ?? 'data'),
  };
}
