import { invalid } from '../../core/errors.ts';
import type { Egress, UrlRefusal } from '../../egress/index.ts';

/** Hint for users that try the gateway with a machine of their own first. */
const CONSENT = 'unless the operator allows its address (FETCH_ALLOW_CIDRS)';

const REFUSALS: Record<UrlRefusal, string> = {
  syntax: 'must be an absolute URL without white space',
  scheme: `must begin with https://, ${CONSENT}`,
  userinfo: 'must not contain a user name or password',
  host: `must name a public host, ${CONSENT}`,
  port: `must use port 443, 8443 or none, ${CONSENT}`,
  address: `must not lead to a private or reserved address, ${CONSENT}`,
};

/**
 * Returns the normal form of a URL that may be posted to, as far as it can be judged without a DNS lookup. `name` is the member that has
 * the URL. Raises VALIDATION_ERROR.
 */
export function checkEndpointUrl(egress: Pick<Egress, 'checkUrl'>, url: string, name = 'url'): string {
  const verdict = egress.checkUrl(url, { httpsOnly: true });
  if (verdict.kind === 'refused') throw invalid(`"${name}" ${REFUSALS[verdict.reason]}.`);
  return verdict.url;
}
