import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Service, Services } from './service.ts';

describe('services', () => {
  const recorded = (): { calls: string[]; service: (name: string, extra?: Partial<Service>) => Service } => {
    const calls: string[] = [];
    const note = (call: string) => () => void calls.push(call);
    return {
      calls,
      service: (name, extra) => ({
        name,
        start: note(`start ${name}`),
        quiesce: note(`quiesce ${name}`),
        stop: note(`stop ${name}`),
        ...extra,
      }),
    };
  };

  it('start in order, all quiesce, then stop in reverse order', async () => {
    const { calls, service } = recorded();
    const services = new Services([service('a'), service('b')]);
    await services.start();
    await services.stop();
    assert.deepEqual(calls, ['start a', 'start b', 'quiesce b', 'quiesce a', 'stop b', 'stop a']);
  });

  it('a start fails → later services are neither started nor stopped, unless they have no start', async () => {
    const { calls, service } = recorded();
    const broken = service('broken', { start: () => Promise.reject(new Error('no')) });
    const { start: _start, ...passive } = service('passive');
    const services = new Services([service('a'), broken, service('c'), passive]);
    await assert.rejects(services.start(), /no/);
    await services.stop();
    assert.deepEqual(calls, [
      'start a',
      'quiesce passive',
      'quiesce broken',
      'quiesce a',
      'stop passive',
      'stop broken',
      'stop a',
    ]);
  });

  it('a stop fails → the others stop, and the failure names its service', async () => {
    const { calls, service } = recorded();
    const services = new Services([service('a'), service('b', { stop: () => Promise.reject(new Error('stuck')) })]);
    await services.start();
    await assert.rejects(services.stop(), /b did not stop/);
    assert.equal(calls.at(-1), 'stop a');
  });

  it('aborted during the start → no further service starts', async () => {
    const { calls, service } = recorded();
    const stop = new AbortController();
    const services = new Services([service('a', { start: () => stop.abort(new Error('signal')) }), service('b')]);
    await assert.rejects(services.start(stop.signal), /signal/);
    assert.deepEqual(calls, []);
  });
});
