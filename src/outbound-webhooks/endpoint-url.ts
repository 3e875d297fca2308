import { AppError } from '../core/errors.ts';
import type { Egress, UrlRefusal } from '../egress/index.ts';

const REFUSALS: Record<UrlRefusal, string> = {
  syntax: 'must be an absolute URL without white space',
  scheme: 'must begin with https://',
  userinfo: 'must not contain a user name or password',
  host: 'must name a public host',
  port: 'must use port 443, 8443 or none',
  address: 'must not lead to a private or reserved address',
};

/** The normal form of a URL that may be posted to, as far as can be told without looking it up. Raises VALIDATION_ERROR. */
export function checkEndpointUrl(egress: Pick<Egress, 'checkUrl'>, url: string): string {
  const verdict = egress.checkUrl(url, { httpsOnly: true });
  if (verdict.kind === 'refused') throw new AppError('VALIDATION_ERROR', `"url" ${REFUSALS[verdict.reason]}.`);
  return verdict.url;
}
