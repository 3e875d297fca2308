import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { Pipelines } from './pipelines.ts';

test('what is sent ahead is bounded on all connections together, and counts until it is served or its connection ends', () => {
  const pipelines = new Pipelines();
  const enter = (socket: Socket) => {
    const response = new ServerResponse(new IncomingMessage(socket));
    pipelines.enter(response.req, response, () => {});
    return response;
  };
  /** Connections that together send ahead as much as may be. */
  const crowd = () => {
    const connections = Array.from({ length: 64 }, () => {
      const socket = new Socket();
      return { socket, responses: Array.from({ length: 33 }, () => enter(socket)) };
    });
    assert.ok(connections.every(({ socket }) => !socket.destroyed));
    return connections;
  };
  const served = crowd();
  const late = new Socket();
  for (let times = 0; times < 2; times += 1) enter(late);
  assert.ok(late.destroyed);
  for (const { responses } of served) for (const response of responses) response.emit('close');
  for (const { socket, responses } of crowd()) {
    socket.destroy();
    responses[0]?.emit('close');
  }
  crowd();
});
