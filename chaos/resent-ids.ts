import { readFile } from 'node:fs/promises';

/** The message of `UnknownOutcomes` about a second try, by which a gateway's log names what it sent twice on purpose. */
const RESENT = 'outcome still unknown after its hold; sending once more';

/** Ids of the messages these gateways say they sent once more after an unknown outcome. */
export async function readResentIds(gateways: readonly { logFile: string }[]): Promise<Set<string>> {
  const texts = await Promise.all(gateways.map(({ logFile }) => readFile(logFile, 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line.includes(RESENT)));
  return new Set(lines.flatMap((line) => /"messageId":"([^"]+)"/.exec(line)?.[1] ?? []));
}
