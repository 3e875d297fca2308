import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The answer for a path. */
export interface ServedFile {
  status?: number;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

export interface FileServer {
  /** `http://127.0.0.1:port`. */
  origin: string;
  /** Every request received. */
  requests: IncomingMessage[];
  /** Makes `path` answer with `file` from now on. */
  serve(path: string, file: ServedFile): string;
  close(): Promise<void>;
}

/** Smallest files of the types that template samples may have, recognized by their first bytes. */
export const SAMPLE_FILES = {
  jpeg: Buffer.concat([Buffer.from('ffd8ffe000104a46494600', 'hex'), Buffer.alloc(64)]),
  png: Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(64)]),
  mp4: Buffer.concat([Buffer.from('00000018', 'hex'), Buffer.from('ftypisom'), Buffer.alloc(64)]),
  pdf: Buffer.from('%PDF-1.7\n%%EOF\n'),
};

/** An HTTP server on loopback that serves files and records all requests. Unknown paths are 404. */
export async function startFileServer(host = '127.0.0.1'): Promise<FileServer> {
  const files = new Map<string, ServedFile>();
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const { status = 200, headers = {}, body = '' } = files.get(request.url ?? '') ?? { status: 404 };
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requests,
    serve(path, file) {
      files.set(path, file);
      return `${origin}${path}`;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
