/** The host of the Graph API, and the host of its dialogs. */
const GRAPH = 'graph.facebook.com';
const DIALOGS = 'https://www.facebook.com';

/** Members of the dialog's address. */
export interface Dialog {
  appId: string;
  /** The configuration of the sign-up in the app dashboard. */
  configId: string;
  redirectUri: string;
  state: string;
}

/**
 * Returns the address of the platform's sign-up dialog in its form with a redirect: the page then needs no script of another host.
 * @param upstreamBaseUrl base of the Graph API with its version
 */
export function dialogUrl(upstreamBaseUrl: string, { appId, configId, redirectUri, state }: Dialog): string {
  const { origin, host, pathname } = new URL(upstreamBaseUrl);
  const url = new URL(`${host === GRAPH ? DIALOGS : origin}${pathname.replace(/\/+$/, '')}/dialog/oauth`);
  url.search = new URLSearchParams({
    client_id: appId,
    config_id: configId,
    redirect_uri: redirectUri,
    response_type: 'code',
    override_default_response_type: 'true',
    state,
    extras: JSON.stringify({ version: 'v4', setup: {} }),
  }).toString();
  return url.href;
}
