/**
 * Whose turn it is, in two levels: groups in rotation, and within each its members in rotation. However many members a group has, it
 * gets one turn where every other group gets one. A turn costs the same however many take part.
 */
export class Turns<Member extends object> {
  readonly #groupOf: (member: Member) => string;
  readonly #groups = new Rotation<string>();
  readonly #membersOf = new Map<string, Rotation<Member>>();

  /** The group of a member must not change. */
  constructor(groupOf: (member: Member) => string) {
    this.#groupOf = groupOf;
  }

  get isEmpty(): boolean {
    return this.#membersOf.size === 0;
  }

  /** Takes part from now on, behind the others of its group; whoever does already keeps its place. */
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
   * Gives one turn. Who makes no use of it takes part no more, and it goes on to the next of the group, so that a group loses no turn
   * by members with nothing to do. Answers whether anybody has used it.
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

/** Values in the order in which they were added. */
class Rotation<Value> {
  readonly #values = new Set<Value>();
  // Kept from one call to the next: a new one would have to pass all that have gone from the front of the set.
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

  /** Takes out the first. */
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
