import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiskShares } from './disk-shares.ts';

const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(10 * MIB);

/** Creates a disk of `bytesMax` bytes, to which uploads write their counted bytes. */
function diskOf(bytesMax: number) {
  let written = 0;
  const shares = new DiskShares(async () => bytesMax - written);
  const upload = (organizationId: string) => {
    const share = shares.open(organizationId);
    let bytes = 0;
    return {
      async write(bytesWanted: number): Promise<void> {
        async function* body() {
          for (let sent = 0; sent < bytesWanted; sent += CHUNK.length) yield CHUNK;
        }
        for await (const chunk of share.count(body())) {
          bytes += chunk.length;
          written += chunk.length;
        }
      },
      end() {
        written -= bytes;
        share[Symbol.dispose]();
      },
    };
  };
  return { upload, free: () => bytesMax - written };
}

test('disk shares: greedy organization → limited, disk stays usable, freed bytes reusable', async () => {
  const disk = diskOf(1000 * MIB);
  const held = Array.from({ length: 10 }, () => disk.upload('greedy'));
  const outcomes = await Promise.allSettled(held.map((upload) => upload.write(100 * MIB)));
  const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  assert.notEqual(refused.length, 0);
  for (const { reason } of refused) assert.equal(reason.code, 'RATE_LIMITED');
  assert.ok(disk.free() >= 400 * MIB, `${disk.free() / MIB} MiB are free`);

  await disk.upload('modest').write(100 * MIB);
  await assert.rejects(disk.upload('greedy').write(100 * MIB), { code: 'RATE_LIMITED' });
  for (const upload of held) upload.end();
  await disk.upload('greedy').write(100 * MIB);
});

test('disk shares: single file on a disk it barely fits on → accepted', async () => {
  const disk = diskOf(110 * MIB);
  await disk.upload('alone').write(100 * MIB);
  assert.equal(disk.free(), 10 * MIB);
});
