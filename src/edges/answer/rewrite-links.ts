/** Members of answers that are links back to the platform. */
const LINK = /(?<!\\)"(next|previous|url)"(\s*:\s*)("(?:[^"\\]|\\.)*")/g;

/** Addresses under which a client reaches the same things at the gateway. */
export interface GatewayPlace {
  /** Base URL of the gateway as the client reaches it. */
  address: string;
  /** Path of this call. */
  path: string;
}

/** Parameters that only the gateway adds to a call. */
const SECRETS = ['access_token', 'appsecret_proof', 'appsecret_time'];

/**
 * Returns a JSON answer whose links stay at the gateway: `next` and `previous` repeat this call, a file's `url` is its download. Every other
 * byte stays. A platform's link would lead the client past the gateway, with the gateway's own token in it.
 */
export function rewriteLinks(answer: Buffer, place: GatewayPlace): Buffer {
  // Latin-1 keeps every byte; links are ASCII.
  const text = answer.toString('latin1');
  const rewritten = text.replace(LINK, (whole, name: string, colon: string, quoted: string) => {
    const link = linkOf(quoted);
    const ours = link && (name === 'url' ? fileAddress(link, place) : pageAddress(link, place));
    return ours === undefined ? whole : `"${name}"${colon}${JSON.stringify(ours)}`;
  });
  return rewritten === text ? answer : Buffer.from(rewritten, 'latin1');
}

function linkOf(quoted: string): URL | undefined {
  try {
    const text: unknown = JSON.parse(quoted);
    return typeof text === 'string' && /^https?:\/\//i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
  } catch {
    // A byte that JSON does not allow in a string.
    return undefined;
  }
}

function pageAddress({ searchParams }: URL, { address, path }: GatewayPlace): string {
  const query = new URLSearchParams(searchParams);
  for (const secret of SECRETS) query.delete(secret);
  return `${address}${path}?${query}`;
}

function fileAddress({ pathname, searchParams }: URL, { address }: GatewayPlace): string | undefined {
  const mediaId = /\/whatsapp_business\/attachments\/?$/.test(pathname) ? searchParams.get('mid') : null;
  return mediaId !== null && /^[0-9A-Za-z_-]{1,64}$/.test(mediaId)
    ? `${address}/v1/media/${mediaId}/download`
    : undefined;
}
