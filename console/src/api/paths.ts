/** Written into the page by the gateway: the way from the address of the page to the console's own path. Absent in development. */
const written = document.querySelector<HTMLMetaElement>('meta[name="console-base"]')?.content ?? '';

/** Path of the console as the browser sees it, with a slash at its end. A proxy may serve the gateway below a path of its own. */
export const CONSOLE_PATH = new URL(/^[./]/.test(written) ? written : '/console/', location.href).pathname;

const PREFIX = CONSOLE_PATH.slice(0, -'/console/'.length);

/** Returns an address of the gateway, such as `/docs` or `/v1/messages`, as the browser reaches it. Other addresses stay as they are. */
export function gatewayPath(path: string): string {
  return path.startsWith('/') ? `${PREFIX}${path}` : path;
}
