import type { FastifyInstance } from 'fastify';

/** Contacts for reports of vulnerabilities of this deployment (RFC 9116). */
export interface SecurityContact {
  /** URLs of contacts, the preferred one first: `mailto:`, `https:` or `tel:`. */
  contacts: readonly string[];
  /** Time after which the file counts as out of date. */
  expires: Date;
}

export interface SecurityTxtDeps {
  securityContact: SecurityContact;
  /** Base URL for clients, without a trailing slash; `null` leaves out the address of the file. */
  publicUrl: string | null;
}

const PATH = '/.well-known/security.txt';

/** Registers the file that names the contacts for reports of vulnerabilities. */
export function securityTxtRoute(app: FastifyInstance, deps: SecurityTxtDeps): void {
  const text = renderSecurityTxt(deps);
  app.get(PATH, { schema: { hide: true } }, (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'public, max-age=3600')
      .send(text),
  );
}

/** Returns the text of the file. */
function renderSecurityTxt({ securityContact, publicUrl }: SecurityTxtDeps): string {
  const { contacts, expires } = securityContact;
  const fields = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    ...(publicUrl === null ? [] : [`Canonical: ${publicUrl}${PATH}`]),
    'Preferred-Languages: en',
  ];
  return `${fields.join('\n')}\n`;
}
