import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dispatcher, errors } from 'undici';
import { systemClock } from '../../core/time/clock.ts';
import { exchange, type HttpRequest } from './exchange.ts';

/** A connection pool whose callbacks the test drives itself. */
class ScriptedDispatcher extends Dispatcher {
  readonly #play: (handler: Required<Dispatcher.DispatchHandler>) => void;

  constructor(play: (handler: Required<Dispatcher.DispatchHandler>) => void) {
    super();
    this.#play = play;
  }

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#play(handler as Required<Dispatcher.DispatchHandler>);
    return true;
  }
}

const request: HttpRequest = {
  method: 'POST',
  path: '/x',
  headers: [],
  body: 'x',
  timeoutMs: 60_000,
  answerBytesMax: 100,
};

const controller: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  abort: () => {},
  pause: () => {},
  resume: () => {},
};

test('pool replays a written request → refused, outcome lost', async () => {
  const dispatcher = new ScriptedDispatcher((handler) => {
    handler.onRequestStart(controller, {});
    try {
      handler.onRequestStart(controller, {});
      assert.fail('The second start was let through.');
    } catch (refusal) {
      assert.ok(refusal instanceof Error);
      handler.onResponseError(controller, refusal);
    }
  });
  assert.deepEqual(await exchange({ dispatcher, clock: systemClock }, request), {
    kind: 'lost',
    reason: 'connection_lost',
    httpStatus: null,
    cause: 'REFUSED_START',
  });
});

test('connection closes before the request starts → unsent', async () => {
  const dispatcher = new ScriptedDispatcher((handler) => {
    handler.onResponseError(controller, new errors.SocketError('other side closed'));
  });
  const outcome = await exchange({ dispatcher, clock: systemClock }, request);
  assert.equal(outcome.kind, 'unsent');
});

test('exchange: reports after the first end → ignored', async () => {
  const dispatcher = new ScriptedDispatcher((handler) => {
    handler.onRequestStart(controller, {});
    handler.onResponseStart(controller, 200, {}, 'OK');
    handler.onResponseData(controller, Buffer.from('a'));
    handler.onResponseData(controller, Buffer.from('b'));
    handler.onResponseEnd(controller, {});
    handler.onResponseError(controller, new errors.SocketError('late'));
  });
  const outcome = await exchange({ dispatcher, clock: systemClock }, request);
  assert.deepEqual(outcome, { kind: 'answered', httpStatus: 200, headers: {}, body: Buffer.from('ab') });
});
