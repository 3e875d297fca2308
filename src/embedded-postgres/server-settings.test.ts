import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverSettings } from './server-settings.ts';

test('server settings: durable data → commits wait for the disk; disposable data → they do not', () => {
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

test('server settings: any options → the server listens on loopback only', () => {
  const settings = serverSettings({ port: 54321, disposable: false, messageDays: 30, connections: 16 });
  assert.equal(settings.listen_addresses, '127.0.0.1');
  assert.equal(settings.unix_socket_directories, '');
  assert.equal(settings.port, '54321');
});

test('server settings: connections of the gateway → all of them and some more are allowed', () => {
  const taken = (connections: number) =>
    Number(serverSettings({ port: 1, disposable: false, messageDays: 30, connections }).max_connections);
  assert.deepEqual([taken(16), taken(500)], [60, 520]);
});
