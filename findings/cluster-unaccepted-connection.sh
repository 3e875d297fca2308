#!/usr/bin/env bash
# node:cluster with round robin: a connection that was given to a worker and not accepted before the worker is killed stays open, unserved.
# Prints the state of the connection two seconds after the kill. Seen with Node 24.21.0: "open". Exits 1 if it was closed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-fund --no-audit node@24.21.0
cat > cluster.mjs <<'JS'
import cluster from 'node:cluster';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

if (cluster.isPrimary) {
  cluster.setupPrimary({ exec: process.argv[1] });
  const worker = cluster.fork();
  worker.on('error', () => {});
  worker.on('listening', async ({ port }) => {
    worker.process.kill('SIGSTOP');
    const client = connect(port, '127.0.0.1').on('error', () => {});
    client.resume();
    await delay(500);
    worker.process.kill('SIGKILL');
    await delay(2_000);
    console.log(client.closed ? 'closed' : 'open');
    process.exit(client.closed ? 1 : 0);
  });
} else {
  createServer((socket) => socket.end('served')).listen(0, '127.0.0.1');
}
JS
node_modules/.bin/node cluster.mjs
