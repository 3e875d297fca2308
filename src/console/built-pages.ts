import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};
const COMPRESSIBLE = /^text|json|svg/;
const NONCE = '__CSP_NONCE__';
const BASE = '__CONSOLE_BASE__';
/** Links of the page to the files of the build. */
const OWN_FILES = /(?<=(?:src|href)=")\.\//g;
/** Vite puts a hash into the names of the files in this folder, so that they never change. */
const HASHED = /^assets\//;

/** A built file, ready to be served. */
export interface BuiltFile {
  bytes: Buffer;
  /** Undefined for a file that compression does not make smaller. */
  compressed: Buffer | undefined;
  type: string;
  /** True if the name changes with the bytes. */
  isHashed: boolean;
}

/** Files of the console's build. They are read at the first request, because most processes never show a page. */
export class BuiltPages {
  readonly #dir: string;
  #files: Map<string, BuiltFile> | undefined;

  /** @param dir folder of the build, with an `index.html` */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Returns a file by its path below `/console/`; undefined if the build has none. */
  find(path: string): BuiltFile | undefined {
    return this.#all().get(path);
  }

  /**
   * Returns the page itself, with a fresh nonce for its styles; undefined if there is no build.
   * @param base relative path from the address of the page to `/console/`, such as `../`
   */
  page(base: string): { html: string; nonce: string } | undefined {
    const index = this.#all().get('index.html');
    if (index === undefined) return undefined;
    const nonce = randomBytes(16).toString('base64');
    const html = index.bytes.toString().replaceAll(NONCE, nonce).replaceAll(BASE, base).replaceAll(OWN_FILES, base);
    return { html, nonce };
  }

  #all(): Map<string, BuiltFile> {
    // A missing build is looked for again: it may be made while the gateway runs.
    if (this.#files === undefined || this.#files.size === 0) this.#files = readFiles(this.#dir);
    return this.#files;
  }
}

function readFiles(dir: string): Map<string, BuiltFile> {
  if (!existsSync(join(dir, 'index.html'))) return new Map();
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map(({ parentPath, name }) => {
      const path = relative(dir, join(parentPath, name)).split(sep).join('/');
      const bytes = readFileSync(join(parentPath, name));
      const type = TYPES[extname(name)] ?? 'application/octet-stream';
      const compressed = COMPRESSIBLE.test(type) ? gzipSync(bytes) : undefined;
      return [path, { bytes, compressed, type, isHashed: HASHED.test(path) }];
    }),
  );
}
