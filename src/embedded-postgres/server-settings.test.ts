import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverSettings } from './server-settings.ts';

test('committed rows wait for the disk unless the data is disposable', () => {
  const durability = ({ fsync, synchronous_commit, full_page_writes }: Record<string, string>) => [
    fsync,
    synchronous_commit,
    full_page_writes,
  ];
  assert.deepEqual(durability(serverSettings({ port: 1, disposable: false, messageDays: 30, connections: 16 })), [
    'on',
    'on',
    'on',
  ]);
  assert.deepEqual(durability(serverSettings({ port: 1, disposable: true, messageDays: 30, connections: 16 })), [
    'off',
    'off',
    'off',
  ]);
});

test('the embedded server listens on loopback only', () => {
  const settings = serverSettings({ port: 54321, disposable: false, messageDays: 30, connections: 16 });
  assert.equal(settings.listen_addresses, '127.0.0.1');
  assert.equal(settings.unix_socket_directories, '');
  assert.equal(settings.port, '54321');
});

test('the embedded server takes all connections the gateway makes, and some more', () => {
  const taken = (connections: number) =>
    Number(serverSettings({ port: 1, disposable: false, messageDays: 30, connections }).max_connections);
  assert.deepEqual([taken(16), taken(500)], [60, 520]);
});
