import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the list of all packages in the lock file, also those for development (CycloneDX), and fails unless it names every dependency with its version. */

const ROOT = join(import.meta.dirname, '..');
const FILE = join(ROOT, 'sbom.cdx.json');

interface Sbom {
  bomFormat: string;
  components: { name: string; version: string; purl?: string }[];
}

const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const { bomFormat, components } = JSON.parse(text) as Sbom;
if (bomFormat !== 'CycloneDX') throw new Error(`npm sbom wrote the format ${bomFormat}.`);
const found = new Set(components.map(({ name, version }) => `${name}@${version}`));
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
const missing = Object.entries(dependencies)
  .map(([name, version]) => `${name}@${version}`)
  .filter((one) => !found.has(one));
if (missing.length > 0) throw new Error(`The list lacks ${missing.join(', ')}.`);
writeFileSync(FILE, text);
process.stdout.write(`sbom.cdx.json: ${components.length} packages\n`);
