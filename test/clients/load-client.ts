import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(import.meta.dirname, 'package.json'));

/** Loads a package that is installed beside this file. Its types are the caller's, because the check runs without the installation. */
export async function loadClient<T>(name: string): Promise<T> {
  return (await import(require.resolve(name))) as T;
}

/** Returns the CommonJS form of a package that is installed beside this file: the instance that its CommonJS users share. */
export function requireClient<T>(name: string): T {
  return require(name) as T;
}

/** The host that some clients have no setting for. */
const PLATFORM = 'https://graph.facebook.com';

/** Returns the address at the gateway for one at the platform. */
export function atGateway(url: string, baseUrl: string): string {
  return url.startsWith(PLATFORM) ? baseUrl + url.slice(PLATFORM.length) : url;
}
