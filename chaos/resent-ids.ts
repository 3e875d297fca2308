import { readFile } from 'node:fs/promises';

/** Log message of `UnknownOutcomes` about a second attempt; it marks deliberate duplicates. */
const RESENT = 'outcome still unknown after its hold; sending once more';

/** Reads from the gateways' logs the ids of messages sent once more after an unknown outcome. */
export async function readResentIds(gateways: readonly { logFile: string }[]): Promise<Set<string>> {
  const texts = await Promise.all(gateways.map(({ logFile }) => readFile(logFile, 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line.includes(RESENT)));
  return new Set(lines.flatMap((line) => /"messageId":"([^"]+)"/.exec(line)?.[1] ?? []));
}
