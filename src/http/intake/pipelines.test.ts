import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { Pipelines } from './pipelines.ts';

test('pipelines: sent ahead on all connections → bounded, until served or disconnected', () => {
  const pipelines = new Pipelines(() => {});
  const enter = (socket: Socket) => {
    const response = new ServerResponse(new IncomingMessage(socket));
    pipelines.enter(response.req, response, () => {});
    return response;
  };
  /** Opens connections that together send ahead as much as is allowed. */
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

test('pipelines: no request yet, or last one answered → the connection rests', () => {
  const told: ServerResponse[] = [];
  const pipelines = new Pipelines((answered) => told.push(answered));
  const socket = new Socket();
  pipelines.connect(socket);
  assert.deepEqual([...pipelines.resting()], [socket]);
  const [first, second] = [1, 2].map(() => {
    const response = new ServerResponse(new IncomingMessage(socket));
    pipelines.enter(response.req, response, () => {});
    return response;
  });
  first?.emit('close');
  assert.deepEqual([...pipelines.resting()], []);
  assert.deepEqual(told, []);
  second?.emit('close');
  assert.deepEqual([...pipelines.resting()], [socket]);
  assert.deepEqual(told, [second]);
});

test('pipelines: several answers owed → only the first has begun; none after the end', async () => {
  const pipelines = new Pipelines(() => {});
  const socket = new Socket();
  const enter = () => {
    const response = new ServerResponse(new IncomingMessage(socket));
    pipelines.enter(response.req, response, () => {});
    return response;
  };
  const [first, second] = [enter(), enter()];
  assert.deepEqual([...pipelines.begun()], [first]);
  first.emit('close');
  assert.deepEqual([...pipelines.begun()], [second]);
  second.emit('close');
  assert.deepEqual([...pipelines.begun()], []);
  const third = enter();
  socket.destroy();
  await once(socket, 'close');
  third.emit('close');
  assert.deepEqual([...pipelines.begun()], []);
});
