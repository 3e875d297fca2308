/**
 * Gives turns at two levels: groups in rotation, and the members of each group in rotation. A group gets one turn per round, however many
 * members it has. A turn costs the same however many members take part.
 */
export class Turns<Member extends object> {
  readonly #groupOf: (member: Member) => string;
  readonly #groups = new Rotation<string>();
  readonly #membersOf = new Map<string, Rotation<Member>>();

  /** Expects that the group of a member never changes. */
  constructor(groupOf: (member: Member) => string) {
    this.#groupOf = groupOf;
  }

  get isEmpty(): boolean {
    return this.#membersOf.size === 0;
  }

  /** Adds a member behind the others of its group. A member that takes part already keeps its place. */
  add(member: Member): void {
    const group = this.#groupOf(member);
    const members = this.#membersOf.get(group) ?? new Rotation();
    this.#membersOf.set(group, members);
    members.add(member);
    this.#groups.add(group);
  }

  delete(member: Member): void {
    const group = this.#groupOf(member);
    const members = this.#membersOf.get(group);
    members?.delete(member);
    if (members?.size === 0) this.#drop(group);
  }

  /**
   * Gives one turn; returns true if a member used it. A member that does not use its turn is removed, and the turn passes to the next of
   * its group. Without this, a group loses turns to members that have nothing to do.
   */
  next(use: (member: Member) => boolean): boolean {
    for (let group = this.#groups.take(); group !== undefined; group = this.#groups.take()) {
      const members = this.#membersOf.get(group);
      for (let member = members?.take(); member !== undefined; member = members?.take()) {
        if (!use(member)) continue;
        this.add(member);
        return true;
      }
      this.#drop(group);
    }
    return false;
  }

  #drop(group: string): void {
    this.#membersOf.delete(group);
    this.#groups.delete(group);
  }
}

/** Holds values in the order in which they were added. */
class Rotation<Value> {
  readonly #values = new Set<Value>();
  // Kept between calls: a new iterator would have to pass all values that were deleted at the front of the set.
  #ahead = this.#values.values();

  get size(): number {
    return this.#values.size;
  }

  add(value: Value): void {
    this.#values.add(value);
  }

  delete(value: Value): void {
    this.#values.delete(value);
  }

  /** Removes and returns the first value. */
  take(): Value | undefined {
    let first = this.#ahead.next();
    if (first.done) {
      this.#ahead = this.#values.values();
      first = this.#ahead.next();
    }
    if (first.done) return undefined;
    this.#values.delete(first.value);
    return first.value;
  }
}
