import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PeopleBook } from './people-book.ts';
import { isUserId, ordinaryPerson, parentUserIdOf, userIdOf } from './person.ts';

const PHONE = '16505551234';
const scope = { portfolioId: 'shop', parentPortfolioId: 'holding' };
const otherScope = { portfolioId: 'bank', parentPortfolioId: null };

test('user ids: recognised by their form', () => {
  assert.ok(isUserId('US.13491208655302741918'));
  assert.ok(isUserId('US.ENT.11815799212886844830'));
  for (const id of ['US', '+16505551234', 'us.1', 'US.', 'US.a-b']) assert.equal(isUserId(id), false, id);
});

test('user ids: one per portfolio, found only in their own', () => {
  const book = new PeopleBook();
  const person = ordinaryPerson(PHONE);
  const [own, other] = [userIdOf(person, scope), userIdOf(person, otherScope)];
  assert.ok(isUserId(own));
  assert.notEqual(own, other);
  assert.equal(book.findByUserId(own, scope)?.phone, PHONE);
  assert.equal(book.findByUserId(own, otherScope), undefined);
  assert.equal(book.findByUserId(String(parentUserIdOf(person, scope)), scope)?.phone, PHONE);
  assert.equal(parentUserIdOf(person, otherScope), null);
});

test('moved person: same key, found by the new number; the old one is free', () => {
  const book = new PeopleBook();
  const person = book.record(ordinaryPerson(PHONE));
  book.move(person, '16505550000');
  assert.equal(book.findByPhone('16505550000')?.key, PHONE);
  assert.equal(book.findByPhone(PHONE), null);
  assert.throws(() => book.add('16505550000'), /Another person/);
});

test('freed number taken over: another key and another user id', () => {
  const book = new PeopleBook();
  const first = book.record(ordinaryPerson(PHONE));
  book.move(first, '16505550000');
  const second = book.add(PHONE);
  assert.notEqual(second.key, first.key);
  assert.equal(book.findByUserId(userIdOf(second, scope), scope), second);
  assert.equal(book.findByUserId(userIdOf(first, scope), scope), first);
});

test('number taken from an ordinary person: that person’s user id ends', () => {
  const book = new PeopleBook();
  const earlier = userIdOf(ordinaryPerson('16505550000'), scope);
  book.move(book.record(ordinaryPerson(PHONE)), '16505550000');
  assert.equal(book.findByUserId(earlier, scope), undefined);
});

test('second user id: the first one ends', () => {
  const book = new PeopleBook();
  const person = book.record(ordinaryPerson(PHONE));
  const before = userIdOf(person, scope);
  person.idVersion += 1;
  assert.equal(book.findByUserId(before, scope), undefined);
  assert.equal(book.findByUserId(userIdOf(person, scope), scope), person);
});
