import type { Logger } from 'pino';
import type { SharedRequests } from './admission/index.ts';
import type { OidcSettings } from './console/index.ts';
import type { Clock } from './core/time/clock.ts';
import type { SecurityContact } from './http/index.ts';
import type { Retention } from './maintenance.ts';
import type { Role } from './roles.ts';
import type { GatherMetrics } from './telemetry/index.ts';

/** Ties of a worker to its fellow workers, which share its address. */
export interface Team {
  gatherMetrics: GatherMetrics;
  /** Redeems a code of the banner, which the supervisor has issued. */
  redeemLink(code: string): Promise<boolean>;
  requests: SharedRequests;
}

/** Settings of a gateway in this process. */
export interface AppOptions {
  databaseUrl: string;
  /** Leads past the pooler to which `databaseUrl` leads; `null` without a pooler. */
  databaseDirectUrl: string | null;
  /** True if statements are prepared by name. */
  preparesStatements: boolean;
  connectionsMax: number;
  /** True if this process is alone on its database. */
  alone: boolean;
  /** Keys of 32 bytes each; the first one seals. */
  encryptionKeys: readonly Buffer[];
  adminToken: string;
  /** The identity provider by which operators sign in at the console; `null` without one. */
  oidc: OidcSettings | null;
  upstream: {
    baseUrl: string;
    /** True for the simulator of this process, which other processes do not know. */
    isBuiltIn: boolean;
    connectionsMax: number;
    appId: string | null;
    /** The configuration of sign-ups in the app dashboard; set-up links need it. */
    signupConfigId: string | null;
    appSecrets: readonly string[];
    verifyToken: string;
    /** True if the app requires a proof of its first secret with every call. */
    appSecretProof: boolean;
  };
  /** Base URL for clients, without a trailing slash; `null` uses the address of each request. */
  publicUrl: string | null;
  /** True if the reference is served at `/docs`. */
  docs: boolean;
  /** Contacts for reports of vulnerabilities, served as `security.txt`; `null` serves none. */
  securityContact: SecurityContact | null;
  /** Folder of the built pages of the console; the one of this checkout when absent. */
  consoleDir?: string;
  /** Private ranges that fetches of foreign URLs may reach. */
  fetchAllowCidrs: readonly string[];
  /** Ranges of reverse proxies, whose forwarded headers name the client. */
  trustedProxies: readonly string[];
  /** Longest time a client may take to send one request; the HTTP server's own default when absent. */
  requestTimeoutMs?: number;
  retention: Retention;
  /** Roles of this process. Without `api` it serves only health and metrics. */
  roles: readonly Role[];
  /** Time in ms for which clients may keep using their connections during a stop; 2 s when absent. */
  drainGraceMs?: number;
  /** Absent in a process without fellow workers. */
  team?: Team;
  /** Called with the reason if this process must not go on. The caller must then stop it. */
  onUnfit: (reason: Error) => void;
  log: Logger;
  clock: Clock;
  random: () => number;
}
